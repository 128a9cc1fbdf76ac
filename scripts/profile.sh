#!/bin/sh
# Finds out which code is hot and writes cmake/release.profdata.tar.xz, by which the release build is optimized: builds the
# program so that it counts, and lets it do what hubs mostly do.
set -eu
cd "$(dirname "$0")/.."
archive="$PWD/cmake/release.profdata.tar.xz"
scripts/build.sh profile agenttalk engine_benchmark
work="$PWD/build/training"
rm -rf "$work"
mkdir -p "$work"
export LLVM_PROFILE_FILE="$work/counts/%m-%p.profraw"
export BENCH_DIR="$work" AGENTTALK="$PWD/build/profile/agenttalk"
python3 benchmarks/training.py
build/profile/benchmarks/engine_benchmark step fold >/dev/null
# Also of what never ran: it is compiled for size, and kept apart from the rest.
llvm-profdata-19 merge --output="$work/release.profdata" "$work"/counts/*.profraw
(cd "$work" && cmake -E tar cJf "$archive" --mtime=2000-01-01 release.profdata)
rm -rf "$work"
echo "wrote ${archive#"$PWD"/}: $(du -k "$archive" | cut -f1) KB"
