#!/usr/bin/env python3
"""Holds the includes under src/ to the arrows of the architecture: who may use whom.

A folder may include itself, what it is allowed below, and what those are allowed in turn.
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
    "runtime": ["engine", "journal", "mailbox", "prompts", "llm", "tools"],
    "api": ["runtime"],
    "cli": ["api", "runtime"],
    "app": ["cli"],
}
# The engine decides; it must not read a clock, roll dice, touch files or start threads.
PURE = {
    "engine": re.compile(r"^(fstream|filesystem|thread|mutex|random|iostream|cstdio|unistd\.h|fcntl\.h|sys/.*|boost/asio.*|sqlite3\.h)$"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def reachable(folder):
    seen, todo = {folder}, [folder]
    while todo:
        for below in MAY_USE[todo.pop()]:
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


def main():
    sources = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".cc"))
    found = [line for path in sources for line in complaints(path)]
    print("\n".join(found) if found else f"arrows: {len(sources)} files obey")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
