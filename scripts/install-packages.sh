#!/bin/sh
# Installs the Debian packages of the named groups of packages.txt that are not there yet.
# A stamp per package list makes the second call cost nothing.
set -eu
cd "$(dirname "$0")/.."
stamp="build/.packages-$(echo "$@" | tr ' ' '-')"
[ -e "$stamp" ] && [ "$stamp" -nt packages.txt ] && exit 0

wanted=$(awk -v groups=" $* " '
  /^# group:/ { on = index(groups, " " $3 " ") > 0; next }
  /^#/ || /^$/ { next }
  on { print }' packages.txt)
missing=
for package in $wanted; do
  dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "need root or sudo to install:$missing" >&2; exit 4; }
    as_root=sudo
  fi
  echo "installing:$missing"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
mkdir -p build
touch "$stamp"
