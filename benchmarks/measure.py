"""For benchmarks: plain things to compare with, and how a figure is told."""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

WORK = pathlib.Path(os.environ.get("BENCH_DIR", "."))
BINARY = os.environ.get("AGENTTALK", "agenttalk")
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "build/release/benchmarks"


def disk(rounds=3):
    """Seconds for one SQLite commit (WAL, FULL) and for one append with fdatasync, on the file system of WORK."""
    times = []
    for _ in range(rounds):
        fresh = tempfile.mkdtemp(prefix="disk-", dir=WORK)
        run = subprocess.run([PROGRAMS / "engine_benchmark", "disk"], check=True, text=True, stdout=subprocess.PIPE,
                             env={**os.environ, "BENCH_DIR": fresh})
        times.append(json.loads(run.stdout))
    return tuple(statistics.median(time[key] for time in times) for key in ("commit_s", "append_s"))


def make_and_rename(stage, target, content):
    fd = os.open(stage, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, content)
    os.close(fd)
    os.rename(stage, target)


def plain_files(target, count, folders=100):
    """Seconds for making and renaming so many small files, spread over folders."""
    for number in range(folders):
        (target / str(number)).mkdir(parents=True)
    start = time.perf_counter()
    for number in range(count):
        make_and_rename(target / "x", target / str(number % folders) / f"{number}.json", b"x" * 500)
    return time.perf_counter() - start


def files_below(hub):
    return sum(len(names) for folder, _, names in os.walk(hub) if ".agenttalk" not in folder)


def tell(name, values, unit, **more):
    """One figure: the median, and the spread of all."""
    values = list(values)
    row = {"name": name, "value": float(f"{statistics.median(values):.4g}"), "unit": unit}
    if len(values) > 1:
        row["spread"] = f"{min(values):.4g}-{max(values):.4g}"
    print(json.dumps(row | more), flush=True)
    return row["value"]
