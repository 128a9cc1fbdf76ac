#!/usr/bin/env python3
"""Compares the instructions that core paths take with the committed baseline; times are too noisy for that.

usage: bench-check.py [--update]

Counted by callgrind inside main() only, because what the dynamic loader does is not ours. A path that takes over 10 %
more than benchmarks/instructions.json says is a failure; one that takes over 10 % less asks for a new baseline.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "benchmarks/instructions.json"
BINARY = str(ROOT / "build/release/agenttalk")
ENGINE = str(ROOT / "build/release/benchmarks/engine_benchmark")
TOLERANCE = 0.10


def paths(work):
    """Name → command line, with the files it needs."""
    command = work / "one.json"
    command.write_text(json.dumps({
        "command_id": "cmd_001", "plan_id": "plan_bench", "prompt": "Summarise.\n" * 200,
        "required_inputs": [f"note_{n}.md" for n in range(50)], "on_complete": {"send_to": ["editor"]}}))
    # Files of its own, not a template's: a comment more in a template is no slower program.
    shutil.copytree(ROOT / "benchmarks/data/report", work / "hub")
    return {
        "validate a command": [BINARY, "validate", str(command)],
        "generate a command": [BINARY, "command", "new", "--from", str(command)],
        "validate a plan": [BINARY, "validate", "--hub", str(work / "hub"), str(work / "hub/plan.yaml")],
        "500 steps of a chain": [ENGINE, "step"],
    }


def instructions(argv, work):
    out = work / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=main", f"--callgrind-out-file={out}", *argv]
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(work), "BENCH_STEPS": "500",
                   "BENCH_DIR": str(work)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        sys.exit(f"{argv}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return int(re.search(r"^summary: (\d+)", out.read_text(), re.MULTILINE).group(1))


def main():
    subprocess.run([ROOT / "scripts/build.sh", "release", "agenttalk", "benchmarks"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        counts = {name: instructions(argv, work) for name, argv in paths(work).items()}
    if sys.argv[1:] == ["--update"]:
        BASELINE.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {BASELINE.relative_to(ROOT)}")
        return 0
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    worse = 0
    for name, count in counts.items():
        change = count / baseline[name] - 1
        worse += change > TOLERANCE
        verdict = "WORSE" if change > TOLERANCE else "better: --update" if change < -TOLERANCE else "ok"
        print(f"{name:24} {count:>12,} instructions  {100 * change:+6.1f} %  {verdict}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
