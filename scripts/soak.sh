#!/bin/sh
# The long reliability runs: every test with the label "soak", told by AGENTTALK_SEEDS how much to do.
# usage: SEEDS=N soak.sh
set -eu
cd "$(dirname "$0")/.."
scripts/build.sh dev
AGENTTALK_SEEDS=${SEEDS:?} ctest --preset dev -L soak --no-tests=ignore
