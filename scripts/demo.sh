#!/bin/sh
# What `make run` shows: a fresh hub from the report template, worked on with scripted answers.
set -eu
cd "$(dirname "$0")/.."
agenttalk=$PWD/build/release/agenttalk
hub=build/demo
rm -rf "$hub"
"$agenttalk" init "$hub" --template report
"$agenttalk" validate --hub "$hub" "$hub/agenttalk.yaml" "$hub/plan.yaml"
echo
echo "The hub is in $hub. With a real model: export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY=…), and name it as"
echo "provider in $hub/agenttalk.yaml."
