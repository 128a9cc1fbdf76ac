#!/bin/sh
# Builds the fuzz targets and runs each for a number of seconds, JOBS at a time.
# usage: fuzz.sh SECONDS [TARGET…]
# New inputs are kept in build/corpus/TARGET; a finding is left in build/findings and fails the run.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?usage: fuzz.sh SECONDS [TARGET…]}
shift
if ! ls fuzz/*.cc >/dev/null 2>&1; then
  echo "no fuzz targets yet"
  exit 0
fi
if [ $# = 0 ]; then
  for source in fuzz/*.cc; do set -- "$@" "$(basename "$source" .cc)"; done
fi
scripts/build.sh fuzz "$@"
mkdir -p build/findings

# shellcheck disable=SC2016
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
  target=$1 seconds=$2
  corpus="build/corpus/$target"
  mkdir -p "$corpus"
  seeds=
  [ -d "fuzz/corpus/$target" ] && seeds="fuzz/corpus/$target"
  if "build/fuzz/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/findings/$target-" "$corpus" $seeds >"build/findings/$target.log" 2>&1; then
    runs=$(sed -n "s/^stat::number_of_executed_units: *//p" "build/findings/$target.log")
    echo "$target: $runs runs in $seconds s, no finding"
  else
    tail -n 40 "build/findings/$target.log"
    echo "$target: FINDING, see build/findings/"
    exit 1
  fi' fuzz {} "$seconds"
