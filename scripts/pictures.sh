#!/bin/sh
# Takes the pictures of docs/page.md and the README again, from a team at work in a real browser.
# usage: pictures.sh [BINARY]
set -eu
cd "$(dirname "$0")/.."
binary=${1:-build/release/agenttalk}
AGENTTALK_PICTURES=$(mktemp -d)
export AGENTTALK_PICTURES
trap 'rm -rf "$AGENTTALK_PICTURES"' EXIT
python3 tests/e2e/run.py --folder tests/journeys --binary "$binary" --only every_view_of_a_team
mkdir -p docs/pictures
for name in plan task attempts questions spending dark phone; do
  cp "$AGENTTALK_PICTURES/$name.webp" docs/pictures/
done
