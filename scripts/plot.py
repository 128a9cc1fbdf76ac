#!/usr/bin/env python3
"""Draws cost against size from build/bench.json into docs/performance.svg; make bench writes that file.

usage: plot.py
"""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Line → what the names of its rows look like; the number in them is the size.
LINES = {
    "a task of a wide DAG, in memory": r"fanout: a task of (\d+) in memory, wide",
    "a task of a chain, in memory": r"fanout: a task of (\d+) in memory, chain",
    "an arriving file, that many commands wait": r"waiting: a file arrives, (\d+) commands wait",
}
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 360, 64, 48, 24, 20


def points(rows, pattern):
    found = [(int(match[1]), row["value"]) for row in rows if (match := re.fullmatch(pattern, row["name"]))]
    return sorted(found)


def text(x, y, words, anchor="middle", colour="#333"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def main():
    rows = json.loads((ROOT / "build/bench.json").read_text(encoding="utf-8"))
    lines = {name: points(rows, pattern) for name, pattern in LINES.items()}
    missing = [name for name, found in lines.items() if len(found) < 3]
    if missing:
        print(f"build/bench.json has no figures for: {', '.join(missing)}; run make bench first", file=sys.stderr)
        return 1
    sizes = [size for found in lines.values() for size, _ in found]
    first, last = math.log10(min(sizes)), math.log10(max(sizes))
    most = 1.15 * max(value for found in lines.values() for _, value in found)

    def across(size):
        return LEFT + (math.log10(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def up(value):
        return HEIGHT - BOTTOM - value / most * (HEIGHT - BOTTOM - TOP)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    step = 10 if most > 30 else 5
    for value in range(0, int(most) + 1, step):
        parts.append(f'<path d="M{LEFT} {up(value):.0f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, up(value) + 4, f"{value} µs", "end"))
    for power in range(round(first), round(last) + 1):
        parts.append(text(across(10 ** power), HEIGHT - BOTTOM + 18, f"{10 ** power:,}"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "size: tasks of the plan, waiting commands"))
    for number, (name, found) in enumerate(lines.items()):
        path = "M" + "L".join(f"{across(size):.1f} {up(value):.1f}" for size, value in found)
        parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[number]}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(size):.1f}" cy="{up(value):.1f}" r="3" fill="{COLOURS[number]}"/>'
                  for size, value in found]
        parts.append(text(LEFT + 12, TOP + 6 + 16 * number, name, "start", COLOURS[number]))
    (ROOT / "docs/performance.svg").write_text("\n".join(parts) + "\n</svg>\n", encoding="utf-8")
    print("wrote docs/performance.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
