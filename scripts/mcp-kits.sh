#!/bin/sh
# Installs what the MCP tests talk to (tests/mcp/package-lock.json, exact versions) into build/mcp-kits and prints that
# folder. Exit code 4: it cannot be installed here (no npm, no registry), which tests report as skipped.
# usage: mcp-kits.sh
set -eu
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "npm is missing" >&2; exit 4; }
out="$PWD/build/mcp-kits"
mkdir -p "$out"
exec 9>"$out.lock"
flock 9
wanted=$(sha256sum tests/mcp/package-lock.json | cut -d' ' -f1)
if [ "$(cat "$out/.installed" 2>/dev/null || true)" != "$wanted" ]; then
  cp tests/mcp/package.json tests/mcp/package-lock.json tests/mcp/.npmrc "$out/"
  # Not `npm ci`: the lock file names only the optional packages of the systems that it was made for, which `ci` refuses.
  # `install` keeps to the versions and hashes of the lock file just the same.
  (cd "$out" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error >"$out.log" 2>&1) ||
    { tail -n 20 "$out.log" >&2; exit 4; }
  echo "$wanted" >"$out/.installed"
fi
echo "$out"
