#!/usr/bin/env python3
"""Finds a `default:` in a switch over one of our own enumerations.

The compiler names every switch without a default that lacks a value of its enumeration (-Wswitch). With a default a new
value becomes whatever stands there: a new kind of provider OpenAI, a new stage the orchestrator. Error codes are too
many to be listed; those that mean nothing special have a default. That is why this is not left to -Wswitch-enum, which
wants every value even beside a default, of libraries' enumerations too.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = re.compile(r"\s*case\s+(?!ErrorCode::)(?:\w+::)+k[A-Z]\w*:")


def complaints(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if not re.match(r"\s*default:", line):
            continue
        indent = len(line) - len(line.lstrip())
        for above in reversed(lines[:number]):
            depth = len(above) - len(above.lstrip())
            if above.strip() and depth < indent:
                break  # the switch itself
            if depth == indent and OWN.match(above):
                yield f"{path.relative_to(ROOT)}:{number + 1}: a default over an enumeration of ours: name its values"
                break


def main():
    folders = [ROOT / name for name in ("src", "tests", "fuzz", "benchmarks")]
    sources = sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".h", ".cc"))
    found = [line for path in sources for line in complaints(path)]
    print("\n".join(found) if found else f"switches: {len(sources)} files obey")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
