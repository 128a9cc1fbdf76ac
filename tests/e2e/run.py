#!/usr/bin/env python3
"""Runs the real binary as a person would and looks at what it prints, leaves and returns.

usage: run.py --binary PATH [--folder DIR] [--only TEXT] [--jobs N] [--list]

Tests are the functions named test_* of the modules test_*.py beside this file (--folder names another one); their
docstring's first line is what they show. Each gets a fresh Sandbox. The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import importlib.util
import multiprocessing
import os
import pathlib
import sys
import time
import traceback

from sandbox import Sandbox, Skip

HERE = pathlib.Path(__file__).resolve().parent


def collect(folder):
    sys.path.insert(0, str(folder))
    for path in sorted(folder.glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, value in vars(module).items():
            if name.startswith("test_") and callable(value):
                yield f"{path.stem.removeprefix('test_')}.{name.removeprefix('test_')}", value


def run_one(name, test, binary):
    start = time.monotonic()
    tally = {}
    try:
        with Sandbox(binary) as box:
            tally = box.tally
            test(box)
        verdict, detail = "ok", ""
    except Skip as reason:
        verdict, detail = "skip", f"  ({reason})"
    except Exception:  # a test may fail in any way; all of them are failures
        verdict, detail = "FAIL", "\n" + traceback.format_exc()
    return verdict, f"{verdict:5}{name}  {1000 * (time.monotonic() - start):.0f} ms{detail}", tally


def run_all(tests, binary, jobs):
    """Several at a time, each in a process of its own; told as they end."""
    context = multiprocessing.get_context("fork")  # tests are functions of modules that have no import path
    verdicts, tallies = [], []
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context, initializer=TESTS.update, initargs=(tests,)) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_named, name, binary) for name in tests]):
            verdict, line, tally = future.result()
            verdicts.append(verdict)
            tallies.append(tally)
            print(line, flush=True)
    return verdicts, tallies


def tell_attacks(tallies):
    """How many attacks of each class were tried (tests/attacks), and why some could not be."""
    together = {}
    for tally in tallies:
        for kind, tried in tally.items():
            together.setdefault(kind, []).extend(tried)
    for kind, tried in sorted(together.items()):
        held = sum(1 for _, outcome in tried if outcome == "repelled")
        skipped = [(name, outcome) for name, outcome in tried if outcome.startswith("SKIPPED")]
        print(f"attacks: {kind}: {len(tried)} tried, {held} repelled, {len(tried) - held - len(skipped)} succeeded"
              + (f", {len(skipped)} SKIPPED" if skipped else ""))
        for name, outcome in skipped:
            print(f"  {outcome}: {name}")
    if together:
        every = [outcome for tried in together.values() for _, outcome in tried]
        print(f"attacks: {len(every)} in all, {every.count('repelled')} repelled, {every.count('SUCCEEDED')} succeeded")


TESTS = {}


def run_named(name, binary):
    return run_one(name, TESTS[name], binary)


def main():
    parser = argparse.ArgumentParser(description="end-to-end tests of the agenttalk binary")
    parser.add_argument("--binary", type=pathlib.Path, default=HERE.parent.parent / "build/release/agenttalk")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE, help="where the tests are; tests/journeys has more")
    parser.add_argument("--only", default="", help="run the tests whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()

    tests = {name: test for name, test in collect(options.folder.resolve()) if options.only in name}
    if options.list:
        print("\n".join(tests))
        return 0
    if not options.binary.is_file():
        print(f"{options.binary} is not there: make build", file=sys.stderr)
        return 4
    verdicts, tallies = run_all(tests, options.binary.resolve(), options.jobs)
    tell_attacks(tallies)
    failed, skipped = verdicts.count("FAIL"), verdicts.count("skip")
    also = f", {skipped} skipped" if skipped else ""
    print(f"{verdicts.count('ok')} passed, {failed} failed{also}")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
