#!/bin/sh
# Installs the Debian packages of the named groups of packages.txt that are not there yet.
# usage: install-packages.sh GROUP…
# A stamp per set of groups makes the second call cost nothing; nothing is fetched when nothing is missing.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: install-packages.sh GROUP…" >&2; exit 2; }
stamp="build/.packages-$(echo "$@" | tr ' ' '-')"
# shellcheck disable=SC3013  # every Debian sh knows -nt
if [ -e "$stamp" ] && [ "$stamp" -nt packages.txt ]; then exit 0; fi

for group in "$@"; do
  grep -q "^# group: $group\b" packages.txt || { echo "packages.txt has no group '$group'" >&2; exit 2; }
done
wanted=$(awk -v groups=" $* " '
  /^# group:/ { on = index(groups, " " $3 " ") > 0; next }
  /^#/ || /^$/ { next }
  on { print }' packages.txt)

# A program of the same name that came another way (npm with a newer Node.js) will do.
is_there() { case "$1" in npm | nodejs) command -v "${1%js}" >/dev/null ;; *) false ;; esac; }
is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
missing=
for package in $wanted; do
  is_there "$package" || is_installed "$package" || missing="$missing $package"
done

mkdir -p build
log=build/packages.log
if [ -n "$missing" ]; then
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "need root or sudo to install:$missing" >&2; exit 4; }
    as_root=sudo
  fi
  echo "installing:$missing"
  $as_root apt-get update -qq || echo "apt-get update failed; trying with the lists that are there" >&2
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    echo "could not install:$missing (is the network there?)" >&2
    exit 4
  }
fi
touch "$stamp"
