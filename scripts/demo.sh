#!/bin/sh
# What `make run` shows: a hub made from the report template, on scripted answers.
set -eu
cd "$(dirname "$0")/.."
build/release/agenttalk --version
