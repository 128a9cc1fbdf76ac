#!/usr/bin/env bash
# Plays an agent whose profile says `runtime: external`: a program gets each command with its inputs and prints a file.
# usage: agent.sh [--once] HUB AGENT PROGRAM [ARG…]      e.g.  agent.sh . writer claude -p "Do what this command says."
set -eu
[ "$1" = --once ] && once=yes && shift || once=
box=$1/agents/$2
shift 2
shopt -s nullglob extglob
while true; do
  for command in "$box"/inbox/*/cmd_*.json; do
    plan=$(basename "$(dirname "$command")") id=$(basename "$command" .json)
    out=$box/outbox/$plan done=$box/outbox/.processed/$plan/result_$id.json
    if [ -e "$out/result_$id.json" ] || [ -e "$done" ]; then continue; fi
    mkdir -p "$out"
    (cd "$(dirname "$command")" && tail -v -n +1 -- "$id.json" !(cmd_*) | "$@") >"$out/$id.md.tmp"
    mv "$out/$id.md.tmp" "$out/$id.md" # outputs first: they go along with the next result
    printf '{"result": "see %s.md"}' "$id" >"$out/result_$id.json.tmp"
    mv "$out/result_$id.json.tmp" "$out/result_$id.json" # only complete files count
  done
  [ -z "$once" ] || break
  sleep 0.5
done
