#!/bin/sh
# What `make run` shows: a team of four works through five commands with scripted answers. The commands are files that
# are dropped into the agents' inboxes; so are the notes.
set -eu
cd "$(dirname "$0")/.."
agenttalk=$PWD/build/release/agenttalk
hub=build/demo
rm -rf "$hub"
mkdir -p "$hub"
cp examples/open-plan/agenttalk.yaml examples/open-plan/answers.yaml "$hub"
for folder in examples/open-plan/commands/*; do
  inbox=$hub/agents/$(basename "$folder")/inbox
  mkdir -p "$inbox"
  cp "$folder"/cmd_*.json "$inbox"
done
mkdir -p "$hub/agents/collector/inbox/plan_week"
cp examples/open-plan/notes/*.md "$hub/agents/collector/inbox/plan_week"

"$agenttalk" serve --hub "$hub" --until-idle
echo
"$agenttalk" status plan_week --hub "$hub"
echo
echo "$hub/agents/publisher/outbox/plan_week/report.md:"
echo
cat "$hub/agents/publisher/outbox/plan_week/report.md"
echo
cat <<TEXT
Look around:
  $agenttalk log plan_week --hub $hub
  ls $hub/agents/*/inbox/plan_week

Leave it running, and drop commands into agents/<agent>/inbox from another window:
  $agenttalk serve --hub $hub
  $agenttalk send examples/open-plan/commands/writer/cmd_draft.json --to writer --hub $hub

With a real model: let its command-line program play an agent. Put "runtime: external" into the agent's line of
$hub/agenttalk.yaml, serve the hub, and in another window (here the agent is the writer, the program claude):
  examples/external-agent/agent.py $hub writer claude -p
TEXT
