#!/usr/bin/env bash
# Plays an agent whose profile says `runtime: external`: hands every command to a program, such as a model's CLI.
# usage: agent.sh [--once] HUB AGENT PROGRAM [ARG…]      e.g.  agent.sh . writer claude -p "Do what this command says."
# The program gets the command and its inputs on stdin, runs in an empty folder, and leaves there the files that "outputs"
# of the command names; what it prints is the result. If it fails, or is refused three times, the agent says so. Needs jq.
set -eu
[ "$1" = --once ] && once=yes && shift || once=
box=$1/agents/$2
shift 2
shopt -s nullglob extglob
declare -A tries=()

publish() { # FROM TO: only complete files count
  cp "$1" "$2.tmp"
  mv "$2.tmp" "$2"
}

while true; do
  for command in "$box"/inbox/*/cmd_*.json; do
    inbox=$(dirname "$command") id=$(basename "$command" .json)
    out=$box/outbox/$(basename "$inbox")
    # The command goes before its result does: without a result it is still to be done if it is there.
    if [ -e "$out/result_$id.json" ] || [ ! -e "$command" ]; then continue; fi
    work=$(mktemp -d)
    mkdir -p "$out" "$work/files"
    tries[$id]=$((${tries[$id]:-0} + 1))
    if [ -e "$inbox/refused_$id.json" ] && [ "${tries[$id]}" -gt 3 ]; then
      jq '{error: {message: ("refused three times: " + .message), retry: false}}' "$inbox/refused_$id.json" >"$work/result"
    elif (cd "$inbox" && tail -v -n +1 -- "$id.json" !(cmd_*)) | (cd "$work/files" && "$@") >"$work/said" 2>"$work/error"; then
      for name in $(jq -r '.outputs[]' "$command"); do # outputs first: they go with the next result
        if [ -e "$work/files/$name" ]; then publish "$work/files/$name" "$out/$name"; fi
      done
      jq -Rs '{result: .}' "$work/said" >"$work/result"
    else
      jq -Rs '{error: {message: ., retry: true}}' "$work/error" >"$work/result"
    fi
    publish "$work/result" "$out/result_$id.json"
    rm -r "$work"
  done
  [ -z "$once" ] || break
  sleep 0.5
done
