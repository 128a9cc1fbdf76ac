#!/usr/bin/env python3
"""Kills the real program, fails its disk and cuts its power, at call after call of a scenario, and checks that no
acknowledged command or change of a plan is lost, that no change is half made, that no recorded step is done again, and that
the work is finished all the same."""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import faults
import oracle
import scenario
import trial

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/faults"
RETRY_EVERY = 25  # the scenario with a retry takes a second longer
PLAYED = ("external", "run")  # an external agent has an open command, while a hub is served and while a plan is run


def base_folder():
    """Memory where there is some: the runs are about order and loss, not about the speed of a disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


class Bench:
    """Places to run trials in, one for each worker, and what an undisturbed run leads to."""

    def __init__(self, tools, jobs, place_class):
        self.tools = tools
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="agenttalk-faults-", dir=base_folder()))
        self.place_class = place_class
        self.local = threading.local()
        self.places = []
        self.numbers = itertools.count()
        self.executor = concurrent.futures.ThreadPoolExecutor(jobs)
        self.expected = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.executor.shutdown(cancel_futures=True)
        for place in self.places:
            place.close()
        trial.Plain(self.root).close()

    def place(self):
        if not hasattr(self.local, "place"):
            self.local.number = next(self.numbers)
            self.local.place = self.place_class(self.root / f"place{self.local.number}")
            self.places.append(self.local.place)
        return self.local.place

    def trial(self, name):
        place = self.place()
        return trial.Trial(self.tools, place, self.root / f"outside{self.local.number}", scenario.SCENARIOS[name])

    def undisturbed(self, name):
        sound = trial.Trial(trial.Tools(self.tools.binary, self.tools.shim), self.place(), self.root / "outside-sound",
                            scenario.SCENARIOS[name])
        self.expected[name] = sound.run([])

    def count(self, fault, name):
        """How many calls of an undisturbed run the fault could happen to, and of the recovery of a killed one."""
        attempt = self.trial(name)
        attempt.run([faults.Fault(fault.name, 0, 1, fault.kinds)], None)
        return max(1, attempt.report.calls[0])

    def one(self, phases, name):
        attempt = self.trial(name)
        attempt.run(phases, self.expected[name])
        return attempt.report


def series(names, kinds, totals, lengths, seed):
    """Each call once with each fault, in random order; then pairs: a second fault while it recovers from the first."""
    chance = random.Random(seed)
    singles = [faults.Fault(name, at, length, kinds.get(name, "")) for name in names for length in lengths(name)
               for at in range(1, totals[name] + 1)]
    chance.shuffle(singles)
    for fault in singles:
        yield [fault]
    while True:
        first = chance.choice(singles)
        second = chance.choice(singles)
        yield [first, faults.Fault(second.name, chance.randint(1, max(2, totals[second.name] // 2)), second.length,
                                   second.kinds)]


def lengths_of(name):
    # Once, for a while (a disk that had no space and then has), and for good.
    return {"eio": (1, 0), "enospc": (1, 12, 0), "short": (1, 0)}.get(name, (1,))


def run_series(bench, label, names, wanted, options, kinds=None, script="plain"):
    kinds = kinds or {}
    try:
        totals = {name: bench.count(faults.Fault(name, kinds=kinds.get(name, "")), script) for name in names}
    except oracle.Violation as violation:
        return [("none@0", f"without any fault: {violation}")]
    chosen = series(names, kinds, totals, lengths_of, options.seed)
    started = time.monotonic()
    counts = collections.Counter()
    violations = []
    waiting = set()
    numbers = itertools.count(1)
    last_told = started

    def submit():
        number = next(numbers)
        phases = next(chosen)
        name = "retry" if script == "plain" and number % RETRY_EVERY == 0 else script
        future = bench.executor.submit(bench.one, phases, name)
        future.text = "+".join(map(str, phases)) + ("" if name == "plain" else f" --scenario {name}")
        waiting.add(future)

    def wants_more():
        # A fault may miss: the call that it was meant for does not always come.
        tries = counts["runs"] + len(waiting)
        return (counts["happened"] + len(waiting) < wanted and tries < 2 * wanted + 10
                and len(violations) < options.give_up)

    while waiting or wants_more():
        while wants_more() and len(waiting) < 4 * options.jobs:
            submit()
        done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            counts["runs"] += 1
            text = future.text
            try:
                report = future.result()
                counts["happened"] += report.tampered
            except oracle.Violation as violation:
                violations.append((text, str(violation)))
                print(f"  {label} {text}: {violation}", flush=True)
        if options.progress and time.monotonic() - last_told > 10:
            last_told = time.monotonic()
            print(f"  {label}: {counts['happened']} of {wanted}, {len(violations)} violations", flush=True)
    seconds = time.monotonic() - started
    calls = ", ".join(f"{name} {total}" for name, total in totals.items())
    print(f"{label}: {counts['happened']} faults in {counts['runs']} runs, {seconds:.1f} s "
          f"({1000 * seconds / max(1, counts['runs']):.0f} ms a run), {len(violations)} violations "
          f"(calls they can happen to: {calls})", flush=True)
    if not violations and counts["happened"] < wanted:
        violations.append((label, f"only {counts['happened']} of {wanted} faults could be made to happen"))
    return violations


def why_no_power_cuts():
    """Empty: they are possible here."""
    if os.geteuid() != 0:
        return "only root may mount"
    try:
        volume = trial.Volume(tempfile.mkdtemp(prefix="agenttalk-faults-", dir=base_folder()))
    except (OSError, FileNotFoundError) as error:
        return str(error)
    volume.close()
    return ""


def cut_series(tools, options):
    why = why_no_power_cuts()
    if why:
        print(f"power cuts: SKIPPED ({why})", flush=True)
        return []
    # Every sync point, and as many of the other calls.
    with Bench(tools, options.jobs, trial.Volume) as bench:
        prepare(bench)
        violations = run_series(bench, "power cuts anywhere", faults.CUTS, (options.cuts + 1) // 2, options)
        if len(violations) < options.give_up:
            violations += run_series(bench, "power cuts at syncs", faults.CUTS, options.cuts // 2, options,
                                     {name: "s" for name in faults.CUTS})
        if len(violations) < options.give_up and options.batches:
            violations += run_series(bench, "power cuts of batches", faults.CUTS, (options.batches + 3) // 4, options,
                                     script="batches")
        if len(violations) < options.give_up and options.tools:
            violations += run_series(bench, "power cuts of tools", faults.CUTS, (options.tools + 3) // 4, options,
                                     script="tools")
        if len(violations) < options.give_up and options.external:
            for script in PLAYED:
                violations += run_series(bench, f"power cuts of {script}", faults.CUTS, (options.external + 1) // 2, options,
                                         script=script)
    return violations


def prepare(bench):
    for name in scenario.SCENARIOS:
        bench.undisturbed(name)


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, default=BUILD / "agenttalk")
    parser.add_argument("--shim", type=pathlib.Path, default=BUILD / "io_shim.so")
    parser.add_argument("--kills", type=int, default=40, help="how many kill -9")
    parser.add_argument("--errors", type=int, default=40, help="how many I/O errors")
    parser.add_argument("--cuts", type=int, default=20, help="how many power cuts")
    parser.add_argument("--batches", type=int, default=20,
                        help="how many kills and I/O errors each, and a quarter as many cuts, while a plan is changed by batches")
    parser.add_argument("--tools", type=int, default=20,
                        help="how many kills, and a quarter as many cuts, while tools leave files in outputs/")
    parser.add_argument("--external", type=int, default=20,
                        help="how many kills and I/O errors each, and half as many cuts, while an external agent's command is open")
    parser.add_argument("--jobs", type=int, default=4 * (os.cpu_count() or 1), help="at a time; they mostly wait")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", default="", help="a seeded bug of src/base/plant.h, to see it caught")
    parser.add_argument("--give-up", type=int, default=5, help="after so many violations")
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--trial", help="one run, as a violation names it, e.g. kill_before@17+eio@3x0")
    parser.add_argument("--scenario", choices=list(scenario.SCENARIOS), default="plain", help="with --trial: which one")
    return parser.parse_args(arguments)


def run_one(tools, options):
    phases = [faults.Fault.parse(text) for text in options.trial.split("+")]
    place = trial.Volume if any(fault.name in faults.CUTS for fault in phases) else trial.Plain
    with Bench(tools, 1, place) as bench:
        prepare(bench)
        try:
            report = bench.one(phases, options.scenario)
        except oracle.Violation as violation:
            print(violation)
            return 1
        print(f"no promise was broken; tampered with: {', '.join(report.first)}")
    return 0


def main():
    options = parse_arguments()
    tools = trial.Tools(options.binary.resolve(), options.shim.resolve(), options.plant)
    if options.trial:
        return run_one(tools, options)
    violations = []
    with Bench(tools, options.jobs, trial.Plain) as bench:
        prepare(bench)
        if options.kills:
            violations += run_series(bench, "kills", faults.KILLS, options.kills, options)
        if options.errors:
            violations += run_series(bench, "I/O errors", faults.ERRORS, options.errors, options)
        if options.batches:
            violations += run_series(bench, "kills of batches", faults.KILLS, options.batches, options, script="batches")
            violations += run_series(bench, "I/O errors of batches", faults.ERRORS, options.batches, options,
                                     script="batches")
        if options.tools:
            violations += run_series(bench, "kills of tools", faults.KILLS, options.tools, options, script="tools")
        if options.external:
            for script in PLAYED:
                violations += run_series(bench, f"kills of {script}", faults.KILLS, options.external, options, script=script)
                violations += run_series(bench, f"I/O errors of {script}", faults.ERRORS, options.external, options,
                                         script=script)
    if options.cuts:
        violations += cut_series(tools, options)
    for text, message in violations:
        print(f"VIOLATION {message}\n  repeat it with: tests/faults/run.py --trial {text}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
