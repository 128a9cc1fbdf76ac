#!/bin/sh
# Everything `make test` checks, phase by phase, each with its time.
# usage: test.sh [PHASE…]   (default: all)
set -eu
cd "$(dirname "$0")/.."
export JOBS="${JOBS:-$(nproc)}"

phase_format() { scripts/format.sh --check; }
phase_arrows() {
  python3 scripts/check-arrows.py && python3 scripts/check-switches.py && python3 scripts/check-deciders.py && python3 scripts/check-words.py &&
    python3 scripts/check-locks.py
}
phase_shell() { shellcheck scripts/*.sh examples/*/*.sh .ci/run; }
phase_release() { scripts/build.sh release all benchmarks; } # nothing else compiles the benchmarks
phase_tidy() {
  cmake --preset dev >/dev/null # for the list of sources, one by one
  python3 scripts/tidy.py --jobs "$JOBS" ${TIDY_RECORD:+--record}
}
phase_check() { scripts/build.sh check; }
phase_unit() { ctest --preset check -j "$JOBS" --no-tests=ignore --output-log build/ctest.log; }
phase_fuzz() { scripts/fuzz.sh 20; }
phase_faults() {
  scripts/build.sh faults agenttalk simulation io_shim
  # One process works on one seed after the other.
  build/faults/tests/simulation/simulation 1 1000 &
  half=$!
  build/faults/tests/simulation/simulation 1001 1000
  wait "$half"
  python3 tests/faults/run.py --kills 40 --errors 40 --cuts 20
  # Found by a long run: a start that failed on a full disk did away with the log of the one before.
  python3 tests/faults/run.py --trial 'eio@524x0+enospc@11x12'
  python3 tests/faults/controls.py
}
# With AddressSanitizer and UBSan, whose reports end the program; the release build is what journeys and attacks use.
phase_e2e() { python3 tests/e2e/run.py --binary build/check/agenttalk; }
# These wait more than they compute: for answers, browsers, time limits.
waiting=$((JOBS + JOBS / 2))
phase_attacks() { python3 tests/e2e/run.py --folder tests/attacks --binary build/release/agenttalk --jobs "$waiting"; }
phase_journeys() { python3 tests/e2e/run.py --folder tests/journeys --binary build/release/agenttalk --jobs "$waiting"; }

# Not in here because of their time: `make fuzz`, and `make lint` (clang-tidy).
[ $# -gt 0 ] || set -- format arrows shell release check unit e2e journeys attacks faults
begin=$(date +%s)
for phase in "$@"; do
  echo "== $phase"
  start=$(date +%s)
  # Not `phase || fail`: that would switch `set -e` off inside the phase.
  trap 'echo "== $phase FAILED after $(($(date +%s) - start)) s" >&2' EXIT
  "phase_$phase"
  trap - EXIT
  echo "== $phase: $(($(date +%s) - start)) s"
done
echo "== all phases passed in $(($(date +%s) - begin)) s: $*"
case " $* " in
  *" unit "*) sed -n '/tests passed/p' build/ctest.log ;;
esac
