#!/usr/bin/env python3
"""Writes the verbs' part of docs/reference.md from what the program says about itself.

usage: reference.py [--binary build/release/agenttalk] [--check]
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference.md"
BEGIN, END = "<!-- verbs: made by scripts/reference.py -->\n", "<!-- end of verbs -->\n"


def told(binary, *arguments):
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True, env=environment).stdout


def verbs(binary):
    table = told(binary, "--help").split("Verbs:\n")[1].split("\n\n")[0]
    return [re.split(r"\s{2,}", line.strip())[0] for line in table.splitlines()]


def page(binary):
    """The page as it ought to be."""
    made = "".join(f"\n### {verb}\n```\n{told(binary, *verb.split(), '--help').strip()}\n```\n" for verb in verbs(binary))
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before + BEGIN + made + "\n" + END + rest.split(END)[1]


def main():
    parser = argparse.ArgumentParser(description="the verbs' part of docs/reference.md")
    parser.add_argument("--binary", default=str(ROOT / "build/release/agenttalk"))
    parser.add_argument("--check", action="store_true", help="only tell whether the page is right")
    options = parser.parse_args()
    wanted = page(options.binary)
    if PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    if options.check:
        print("docs/reference.md is not what the program says: scripts/reference.py", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
