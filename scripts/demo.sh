#!/bin/sh
# What `make run` shows: a team of five builds a small program, on scripted answers. The design is sent back once, and a
# person would have to approve the release.
set -eu
cd "$(dirname "$0")/.."
agenttalk=$PWD/build/release/agenttalk
hub=build/demo
plan=plan_words-by-section
rm -rf "$hub"
"$agenttalk" init "$hub" --template software >/dev/null
echo "A team of five works on $hub/plan.yaml. Its models are scripted (answers.yaml), and --yes approves the release in"
echo "your place."
echo
"$agenttalk" run --plan "$hub/plan.yaml" --hub "$hub" --yes
echo
"$agenttalk" status "$plan" --hub "$hub"
echo
cat "$hub/plans/$plan/deliverables/release_notes.md"
cat <<TEXT

Look around:
  $agenttalk log $plan --hub $hub        # every step, and why
  $agenttalk trace $plan --hub $hub      # the same as a tree, with times, tokens and decisions
  $agenttalk fork $plan --from release --hub $hub --yes   # once more from one task on; what came before is kept
  ls $hub/agents/*/inbox/$plan           # what the agents were given
  cat $hub/plans/$plan/deliveries.jsonl  # what went where

Change $hub/brief/brief.md or $hub/plan.yaml and run it again: only what the change touches is done again.

With a real model (ANTHROPIC_API_KEY, OPENAI_API_KEY, or a server that speaks OpenAI's protocol; see $hub/agenttalk.yaml):
  $agenttalk run --plan $hub/plan.yaml --hub $hub --provider claude --fresh
TEXT
