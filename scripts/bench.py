#!/usr/bin/env python3
"""Runs the benchmarks, prints one table and writes build/bench.json.

usage: bench.py [NAME,NAME…]

A benchmark is a script of benchmarks/ or a program that benchmarks/CMakeLists.txt builds, or both. It checks its own
result, repeats, measures its yardstick in the same run, tells progress on stderr, and prints on stdout one JSON object a
line: {"name", "value", "unit", "spread", "yardstick", "ratio", "target", "ok"}. What has no target or yardstick leaves
it null. Benchmarks work below $BENCH_DIR, which is fresh and on the file system of build/.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "build/release/benchmarks"
FIELDS = ("name", "value", "unit", "spread", "yardstick", "ratio", "target", "ok")


# Name → what is run for it, one after the other.
BENCHMARKS = {
    "chain": ["chain.py", "engine_benchmark chain"],
    "fanout": ["fanout.py", "dag_benchmark"],
    "plans": ["plans.py", "engine_benchmark step"],
    "files": ["files.py"],
    "pickup": ["pickup.py"],
    "waiting": ["engine_benchmark waiting"],
    "recovery": ["recovery.py", "engine_benchmark fold"],
    "coldstart": ["coldstart.py"],
    "calls": ["provider_benchmark"],
    "rss": ["rss.py"],
    "journal": ["journal.py"],
    "pages": ["pages.py"],
    "years": ["years.py"],
}


def command_of(text):
    program, *arguments = text.split()
    if program.endswith(".py"):
        return [sys.executable, str(ROOT / "benchmarks" / program), *arguments]
    return [str(BUILT / program), *arguments]


def run(name, command, work):
    print(f"{name} …", file=sys.stderr, flush=True)
    environment = {**os.environ, "BENCH_DIR": str(work), "AGENTTALK": str(ROOT / "build/release/agenttalk")}
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    rows = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    if process.returncode != 0:
        print(f"{name}: failed with exit code {process.returncode}\n{process.stdout}", file=sys.stderr)
        return [dict.fromkeys(FIELDS) | {"name": name, "ok": False, "target": "runs"}]
    return [dict.fromkeys(FIELDS) | row for row in rows]


def shown(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(rows):
    lines = [FIELDS] + [tuple(shown(row[field]) for field in FIELDS) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(FIELDS))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def main():
    wanted = [name for name in (sys.argv[1] if len(sys.argv) > 1 else "").split(",") if name]
    unknown = [name for name in wanted if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    subprocess.run([ROOT / "scripts/build.sh", "release", "agenttalk", "benchmarks"], check=True)
    # One fresh directory for all; removed at the end only, because file creation is slow after mass deletion.
    work = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=ROOT / "build"))
    rows = []
    for name in wanted or BENCHMARKS:
        for number, text in enumerate(BENCHMARKS[name]):
            folder = work / f"{name}{number}"
            folder.mkdir()
            rows += run(name, command_of(text), folder)
    (ROOT / "build/bench.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table(rows))
    shutil.rmtree(work, ignore_errors=True)
    return 0 if all(row["ok"] in (True, None) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
