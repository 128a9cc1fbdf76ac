#!/bin/sh
# Configures a preset on first use and builds.
# usage: build.sh PRESET [TARGET…]
set -eu
cd "$(dirname "$0")/.."
preset=${1:?usage: build.sh PRESET [TARGET…]}
shift
if [ ! -e "build/$preset/build.ninja" ]; then
  mkdir -p build
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 || {
    cat "build/configure-$preset.log" >&2
    exit 1
  }
fi
exec ninja -C "build/$preset" --quiet -j "${JOBS:-$(nproc)}" "$@"
