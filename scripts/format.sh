#!/bin/sh
# Formats every C++ file of ours; with --check only says which are not formatted, and fails.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format-19 >/dev/null || { echo "clang-format-19 is missing: make test installs it" >&2; exit 4; }
folders=
for folder in src tests fuzz benchmarks examples; do
  if [ -d "$folder" ]; then folders="$folders $folder"; fi
done
# shellcheck disable=SC2086
files=$(find $folders -name '*.h' -o -name '*.cc' | sort)
case "${1:-}" in
  "")
    echo "$files" | xargs clang-format-19 -i
    ;;
  --check)
    unformatted=$(echo "$files" | xargs clang-format-19 --dry-run 2>&1 | sed -n 's/^\([^:]*\):.*-Wclang-format-violations.*/\1/p' | sort -u)
    if [ -n "$unformatted" ]; then
      echo "not formatted (make format does it):"
      echo "$unformatted"
      exit 1
    fi
    ;;
  *)
    echo "usage: format.sh [--check]" >&2
    exit 2
    ;;
esac
