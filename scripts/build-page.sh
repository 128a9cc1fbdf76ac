#!/bin/sh
# Bundles the page (web/) into DIR, with the exact versions of web/package-lock.json.
# usage: build-page.sh DIR
set -eu
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../web"
command -v npm >/dev/null || { echo "npm is missing: make build installs it" >&2; exit 4; }
# Several build folders share the bundle; one of them makes it.
exec 9>"$out.lock"
flock 9
wanted=$(find package-lock.json build.mjs tsconfig.json src -type f | sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
if [ "$(cat "$out.stamp" 2>/dev/null || true)" = "$wanted" ]; then exit 0; fi
installed=$(sha256sum package-lock.json | cut -d' ' -f1)
if [ "$(cat node_modules/.installed 2>/dev/null || true)" != "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >"$out.log" 2>&1 || { tail -n 20 "$out.log" >&2; exit 1; }
  echo "$installed" >node_modules/.installed
fi
rm -rf "$out"
mkdir -p "$out"
node build.mjs "$out"
echo "$wanted" >"$out.stamp"
