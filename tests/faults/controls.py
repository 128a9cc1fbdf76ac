#!/usr/bin/env python3
"""Plants known bugs and fails unless the tests that are meant for them see each one. A test that a bug does not
break proves nothing."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import run

# Which tests are to catch which bug, and the words they find it with. The simulation has no disk, and kill -9 leaves
# the page cache alone, so only a power cut can tell a missing fsync. A `send` that takes the hub's lock itself ends
# after its commit anyhow, so only the simulation sees an early acknowledgement. Without its intents a journal cannot
# be folded: the program refuses to start at all, which hides the rest from the fault runs.
MOST_FAULTS = 60
CONTROLS = {
    "no_fsync": (("cuts",), "is lost"),
    "ack_early": (("simulation",), "is lost"),
    "tell_early": (("simulation",), "was told and is lost"),
    "drop_intent": (("simulation",), "intent"),
    "rerun_step": (("simulation", "kills"), "made again"),
    "half_batch": (("batches",), "neither as before nor as after"),
    "own_delivery": (("simulation", "external"), "nothing to pick up"),
    "snapshot_spending": (("simulation",), "a snapshot of the hub"),
    "gc_named": (("years",), "still named is removed"),
    "shown_twice": (("simulation",), "older than what was there"),
    "no_read_back": (("simulation",), "is not there"),
    "remnants": (("simulation",), "taken in as a stranger's"),
}


def simulation(build, bug):
    return subprocess.run([str(build / "tests/simulation/simulation"), "1", "400"], capture_output=True, text=True,
                          check=False, env={**os.environ, "AGENTTALK_PLANT": bug})


def years(build, bug):
    """The journeys of plans that are removed. Their program is told of the bug by a wrapper: a Sandbox hands no environment on."""
    with tempfile.TemporaryDirectory() as folder:
        wrapper = pathlib.Path(folder) / "agenttalk"
        wrapper.write_text(f"#!/bin/sh\nAGENTTALK_PLANT={bug} exec {build / 'agenttalk'} \"$@\"\n")
        wrapper.chmod(0o755)
        return subprocess.run(
            [sys.executable, str(run.ROOT / "tests/e2e/run.py"), "--folder", str(run.ROOT / "tests/journeys"), "--binary", str(wrapper),
             "--only", "years.gc_removes"], capture_output=True, text=True, check=False)


def faults(build, bug, which):
    # Half a batch also leaves other files behind every run; what is to be seen is the half plan, in some of them.
    give_up = 2 * MOST_FAULTS if which == "batches" else 1
    amounts = {"kills": 0, "errors": 0, "cuts": 0, "batches": 0, "tools": 0, "external": 0, which: MOST_FAULTS}
    return subprocess.run(
        [sys.executable, str(pathlib.Path(run.__file__)), "--binary", str(build / "agenttalk"), "--shim",
         str(build / "io_shim.so"), "--plant", bug, f"--give-up={give_up}",
         *(f"--{name}={amount}" for name, amount in amounts.items())], capture_output=True, text=True, check=False)


def is_caught(options, bug, test, words):
    """Failing is not enough: the test has to see this bug. Returns the line that says so."""
    started = time.monotonic()
    done = {"simulation": simulation, "years": years}.get(test, lambda build, of: faults(build, of, test))(options.build, bug)
    found = next((line.strip() for line in done.stdout.splitlines() if words in line), "")
    caught = done.returncode == 1 and bool(found)
    told = found if caught else f"exit code {done.returncode}: {(done.stdout + done.stderr)[-1000:]}"
    print(f"{bug}: {'caught' if caught else 'NOT CAUGHT'} by {test} in {time.monotonic() - started:.1f} s: {told[:160]}",
          flush=True)
    return caught


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=run.BUILD)
    parser.add_argument("bugs", nargs="*", default=list(CONTROLS))
    options = parser.parse_args()
    no_cuts = run.why_no_power_cuts()
    pairs = [(bug, test) for bug in options.bugs for test in CONTROLS[bug][0]]

    def seen(pair):
        bug, test = pair
        if test == "cuts" and no_cuts:
            print(f"{bug}: {test} SKIPPED ({no_cuts})", flush=True)
            return True
        return is_caught(options, bug, test, CONTROLS[bug][1])

    # A simulation is one process that only computes; the others do several things at a time themselves.
    computing = [pair for pair in pairs if pair[1] == "simulation"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(seen, computing))
    others = [pair for pair in pairs if pair[1] != "simulation"]
    verdicts += [seen(pair) for pair in others]
    missed = [f"{bug} by {test}" for (bug, test), caught in zip(computing + others, verdicts) if not caught]
    if missed:
        print(f"not caught: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
