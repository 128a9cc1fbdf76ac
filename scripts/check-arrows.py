#!/usr/bin/env python3
"""Holds the includes under src/ to the arrows of the architecture: who may use whom.

A folder may include itself, what it is allowed below, and what those are allowed in turn. Inside the large folders
the same holds between their own folders; files that lie directly in them put the parts together and may use all.
Inside the engine no more than a handful of files may include one another in a ring.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAY_USE = {
    "base": [],
    "model": ["base"],
    "engine": ["model"],
    "journal": ["model"],
    "mailbox": ["model"],
    "prompts": ["model"],
    "llm": ["model"],
    "tools": ["model"],
    "mcp": ["llm", "tools"],
    "runtime": ["engine", "journal", "mailbox", "prompts", "llm", "tools", "mcp"],
    "api": ["runtime", "mcp"],
    "cli": ["api", "runtime"],
    "app": ["cli"],
}
# Inside a folder: its own folders, from below to above.
INSIDE = {
    "model": {
        "content": [],
        "reading": [],
        "words": [],
        "config": ["reading"],
        "dag": ["config", "content"],
        "request": ["dag"],
        "command": ["request"],
        "steps": ["config"],
        "answer": ["command", "steps"],
        "events": ["answer"],
    },
    "engine": {
        "state": [],
        "turn": ["state"],
        "people": ["turn"],
        "command": ["people"],
        "role": ["command"],
        "dag": ["command"],
        "thinking": ["dag"],
        "stage": ["thinking"],
    },
    "runtime": {
        "core": [],
        "history": [],
        "answers": ["core"],
        "reports": ["core", "history"],
        "files": ["answers", "reports"],
        "calls": ["files"],
        "retention": ["reports"],
    },
    "cli": {
        "text": [],
        "live": ["text"],
        "verbs": ["live"],
    },
}
# Files directly in a large folder that its own folders may use; the others put the folders together.
SHARED = {
    "model": [],
    "engine": [],
    "runtime": ["team.h", "hub_home.h"],
    "cli": ["console.h", "exit_code.h", "hub_call.h", "hub_location.h", "pager.h", "text_file.h", "verb.h"],
}
LARGEST_RING = {"engine": 5}
# The engine decides; it must not read a clock, roll dice, touch files or start threads.
PURE = {
    "engine": re.compile(r"^(fstream|filesystem|thread|mutex|random|iostream|cstdio|unistd\.h|fcntl\.h|sys/.*|boost/asio.*|sqlite3\.h)$"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def reachable(folder, table=None):
    table = MAY_USE if table is None else table
    seen, todo = {folder}, [folder]
    while todo:
        for below in table[todo.pop()]:
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def complaints(path):
    folder = path.relative_to(ROOT / "src").parts[0]
    if folder not in MAY_USE:
        yield f"{path.relative_to(ROOT)}: folder '{folder}' is not in the table of scripts/check-arrows.py"
        return
    allowed = reachable(folder)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        where = f"{path.relative_to(ROOT)}:{number}"
        quote, target = match.groups()
        if quote == "<":
            if folder in PURE and not path.name.endswith("_test.cc") and PURE[folder].match(target):
                yield f"{where}: {folder} is pure and may not include <{target}>"
        elif not (ROOT / "src" / target).is_file():
            yield f'{where}: "{target}" is not a file under src/ (includes are rooted there)'
        elif target.split("/")[0] not in allowed:
            yield f"{where}: {folder} may not use {target.split('/')[0]} (allowed: {', '.join(sorted(allowed - {folder})) or 'nothing'})"


def is_test(path):
    return path.name.endswith("_test.cc") or path.name.endswith("fixture.h")


def inside_complaints(path):
    """An include of a file in a neighbouring folder of the same large folder that the table does not allow."""
    parts = path.relative_to(ROOT / "src").parts
    if parts[0] not in INSIDE or len(parts) < 3 or is_test(path):
        return
    table = INSIDE[parts[0]]
    if parts[1] not in table:
        yield f"{path.relative_to(ROOT)}: folder '{parts[0]}/{parts[1]}' is not in the table of scripts/check-arrows.py"
        return
    allowed = reachable(parts[1], table)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match or match.group(1) == "<":
            continue
        target = match.group(2).split("/")
        if target[0] != parts[0]:
            continue
        where = f"{path.relative_to(ROOT)}:{number}"
        if len(target) == 2 and target[1] in SHARED[parts[0]]:
            continue
        if len(target) == 2:
            yield f"{where}: {'/'.join(parts[:2])} may not use {'/'.join(target)}, which puts the folders together"
        elif target[1] not in allowed:
            below = ", ".join(sorted(allowed - {parts[1]})) or "nothing"
            yield f"{where}: {'/'.join(parts[:2])} may not use {'/'.join(target[:2])} (allowed: {below})"


def modules_of(folder):
    """Header and source together are a module; module -> the modules of the folder that it includes."""
    uses = {}
    for path in (ROOT / "src" / folder).rglob("*"):
        if path.suffix not in (".h", ".cc") or is_test(path):
            continue
        name = path.relative_to(ROOT / "src").with_suffix("").as_posix()
        targets = uses.setdefault(name, set())
        for line in path.read_text(encoding="utf-8").splitlines():
            match = INCLUDE.match(line)
            if match and match.group(1) == '"' and match.group(2).startswith(folder + "/"):
                targets.add(match.group(2).rsplit(".", 1)[0])
    return {name: {t for t in targets if t in uses and t != name} for name, targets in uses.items()}


def largest_ring(uses):
    """The largest set of modules each of which includes, over others, all of the set."""

    def reach(start):
        seen, todo = set(), [start]
        while todo:
            for below in uses[todo.pop()]:
                if below not in seen:
                    seen.add(below)
                    todo.append(below)
        return seen

    reached = {name: reach(name) for name in uses}
    rings = [{other for other in reached[name] if name in reached[other]} for name in uses]
    return max(rings, key=len, default=set())


def ring_complaints():
    for folder, most in LARGEST_RING.items():
        ring = largest_ring(modules_of(folder))
        if len(ring) > most:
            yield f"src/{folder}: {len(ring)} modules include one another in a ring ({most} may): {', '.join(sorted(ring))}"


def main():
    sources = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".cc"))
    found = [line for path in sources for line in (*complaints(path), *inside_complaints(path))]
    found += ring_complaints()
    print("\n".join(found) if found else f"arrows: {len(sources)} files obey")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
