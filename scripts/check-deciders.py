#!/usr/bin/env python3
"""Holds the engine to one rule: whoever decides reads the state and never changes it.

Only the fold (src/engine/state) changes state, for an event. Outside of it a reference or pointer to a part of the state
is const. Two places hold the state itself: the turn, which applies events as they are made, and the engine, which owns
the state. Tests may build states of their own.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATE = "AgentState|CommandRecord|Collaborations?|DagRecord|DagState|Execution|GoalRecord|GoalState|HubState|Inbox|InputVersion|PeopleRecord|PeopleState|PlanState|RoleRecord|RoleState|StageLine|TaskRecord|WorkingMemory"
CHANGES = re.compile(rf"(?<!const )(?<![\w:])({STATE})(?:&(?!&)|\*)|\bconst_cast<")
HOLDERS = {"src/engine/engine.cc", "src/engine/turn/turn.h", "src/engine/turn/turn.cc"}


def complaints(path):
    name = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = re.sub(r'"(?:\\.|[^"\\])*"|//.*$', "", line)
        match = CHANGES.search(code)
        if match:
            yield f"{name}:{number}: `{match.group(0)}` can change the state; emit an event instead, and take it const"


def main():
    sources = []
    for folder in ("engine", "runtime", "api", "cli"):
        for path in sorted((ROOT / "src" / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            is_test = path.name.endswith("_test.cc") or path.name.endswith("fixture.h")
            if path.suffix in (".h", ".cc") and not is_test and not name.startswith("src/engine/state/"):
                if name not in HOLDERS:
                    sources.append(path)
    found = [line for path in sources for line in complaints(path)]
    print("\n".join(found) if found else f"deciders: {len(sources)} files leave the state alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
