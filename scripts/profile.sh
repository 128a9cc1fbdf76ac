#!/bin/sh
# Finds out which code is hot and writes cmake/release.profdata, by which the release build is optimized: builds the
# program so that it counts, and lets it do what hubs mostly do.
set -eu
cd "$(dirname "$0")/.."
profile=cmake/release.profdata
scripts/build.sh profile agenttalk engine_benchmark
work=build/training
rm -rf "$work"
mkdir -p "$work"
export LLVM_PROFILE_FILE="$PWD/$work/counts/%m-%p.profraw"
export BENCH_DIR="$PWD/$work" AGENTTALK="$PWD/build/profile/agenttalk"
python3 benchmarks/training.py
build/profile/benchmarks/engine_benchmark step fold >/dev/null
# What never ran needs no record, and is most of the program.
llvm-profdata-19 merge --sparse --output="$profile" "$work"/counts/*.profraw
rm -rf "$work"
echo "wrote $profile: $(du -k "$profile" | cut -f1) KB"
