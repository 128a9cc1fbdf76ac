#!/bin/sh
# Configures a preset on first use and builds.
# usage: build.sh PRESET [TARGET…]
set -eu
cd "$(dirname "$0")/.."
preset=${1:?usage: build.sh PRESET [TARGET…]}
shift
if [ ! -e "build/$preset/build.ninja" ]; then
  mkdir -p build
  echo "configuring build/$preset"
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 || {
    cat "build/configure-$preset.log" >&2
    exit 1
  }
fi
jobs=${JOBS:-$(nproc)}
NINJA_STATUS='[%p %f/%t] '
export NINJA_STATUS
# On a terminal ninja draws its progress itself; elsewhere there is a line now and then, and whatever goes wrong.
[ ! -t 1 ] || exec ninja -C "build/$preset" -j "$jobs" "$@"
status="build/$preset/.build-status"
{
  code=0
  ninja -C "build/$preset" -j "$jobs" "$@" 2>&1 || code=$?
  echo "$code" >"$status"
} | {
  told=$(date +%s)
  while IFS= read -r line; do
    case $line in
      "[ "*%*] | "["[0-9]*%*] | "[ "*%*"] "* | "["[0-9]*%*"] "*)
        now=$(date +%s)
        [ $((now - told)) -ge 20 ] || continue
        told=$now
        line=${line%%\]*}
        echo "building: ${line#?}"
        ;;
      "ninja: no work to do." | "ninja: Entering directory"*) ;;
      *) printf '%s\n' "$line" ;;
    esac
  done
}
exit "$(cat "$status")"
