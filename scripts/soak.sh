#!/bin/sh
# The long reliability runs: simulation seeds, kills, I/O errors and power cuts, the seeded bugs, and a steady load on one server.
# usage: SEEDS=N [KILLS=N] [ERRORS=N] [CUTS=N] [JOBS=N] [MINUTES=N] soak.sh
# Everything is told on the way, and once more, in numbers, at the end.
set -eu
cd "$(dirname "$0")/.."
seeds=${SEEDS:?} kills=${KILLS:-5000} errors=${ERRORS:-5000} cuts=${CUTS:-500} jobs=${JOBS:-2}
scripts/build.sh faults agenttalk simulation dag_simulation plan_simulation io_shim
log=build/soak.log
begin=$(date +%s)
: >"$log"
failed=

# Runs a part, keeps what it says, and remembers whether it failed.
part() {
  name=$1
  shift
  echo "== $name" | tee -a "$log"
  # The status of the first command, not of tee.
  { { "$@" 2>&1 && echo "== $name: passed"; } || echo "== $name: FAILED"; } | tee -a "$log"
  if tail -n 1 "$log" | grep -q FAILED; then failed="$failed $name"; fi
}

simulate() {
  each=$(((seeds + jobs - 1) / jobs))
  # shellcheck disable=SC2016
  seq 0 $((jobs - 1)) | xargs -P "$jobs" -I{} sh -c \
    'exec build/faults/tests/simulation/simulation $((1 + $1 * $2)) "$2"' simulation {} "$each"
}

part simulation simulate
part dag_simulation build/faults/tests/simulation/dag_simulation 1 "$seeds"
part large_dags build/faults/tests/simulation/dag_simulation 1 8 10000
part plan_simulation build/faults/tests/simulation/plan_simulation 1 "$jobs" 10000
part faults python3 tests/faults/run.py --kills "$kills" --errors "$errors" --cuts "$cuts" --batches "$((kills / 10))" --progress
part controls python3 tests/faults/controls.py
part steady_load python3 benchmarks/soak.py --minutes "${MINUTES:-30}" --plot docs/soak.svg
echo "== $(($(date +%s) - begin)) s in all"
grep -E '^[0-9]+ (seeds|random DAGs)|^(kills|I/O errors|power cuts)[^:]*: |caught by|SKIPPED' "$log"
[ -z "$failed" ] || {
  echo "failed:$failed" >&2
  exit 1
}
