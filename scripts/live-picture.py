#!/usr/bin/env python3
"""Draws docs/live.svg: the live view of a real run, as a terminal shows it while a task is being reviewed.

usage: live-picture.py [--binary PATH]
"""

import argparse
import html
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))

from terminal import Terminal  # noqa: E402

COLUMNS, ROWS = 100, 30
CELL, LINE, EDGE = 8.4, 19, 16


def screen_of(binary):
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        subprocess.run([binary, "init", "team", "--template", "report"], cwd=folder, env=env, check=True, capture_output=True)
        answers = pathlib.Path(folder, "team/answers.yaml")
        answers.write_text(answers.read_text().replace("delay: 300ms", "delay: 900ms"))
        terminal = Terminal([binary, "run", "--plan", "plan.yaml"], env, pathlib.Path(folder, "team"), columns=COLUMNS, rows=ROWS)
        try:
            terminal.expect("88")  # the summary was sent back once, and has passed
            return [line for line in terminal.screen.lines if line.strip() and "serving" not in line]
        finally:
            terminal.close()


def picture(lines):
    lines = ["$ agenttalk run plan.yaml", *lines]
    width, height = COLUMNS * CELL + 2 * EDGE, len(lines) * LINE + 2 * EDGE
    rows = [f'<text x="{EDGE}" y="{EDGE + (number + 0.75) * LINE}" xml:space="preserve">{html.escape(line)}</text>'
            for number, line in enumerate(lines)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img" '
            f'aria-label="the live view of a plan in a terminal">\n'
            f'<rect width="100%" height="100%" rx="8" fill="#14171b"/>\n'
            f'<g font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="14" fill="#e4e8ed">\n'
            + "\n".join(rows) + "\n</g>\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / "build/release/agenttalk"))
    options = parser.parse_args()
    (ROOT / "docs/live.svg").write_text(picture(screen_of(os.path.abspath(options.binary))), encoding="utf-8")


if __name__ == "__main__":
    main()
