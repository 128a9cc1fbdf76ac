#!/usr/bin/env python3
"""Runs clang-tidy over the sources and remembers clean verdicts.

A file is checked again only when its text, a header of ours that it includes (transitively), its compile flags,
.clang-tidy or clang-tidy itself changed. Verdicts are kept under build/tidy/, one empty file per clean key, and with
--record in scripts/tidy-verdicts.txt, so that a fresh clone checks only what was changed since: all of it takes minutes.
Nothing has to be recorded; what is not there is checked.

usage: tidy.py [--build-dir build/dev] [--jobs N] [--fix] [--record] [FILE…]
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG_TIDY = "clang-tidy-19"
RECORD = ROOT / "scripts/tidy-verdicts.txt"
OUR_INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What g++ understands and clang does not, or what only matters when code is generated.
DROPPED_FLAGS = re.compile(
    r"-fpch-preprocess|-Winvalid-pch|-Werror|-fsanitize=.*|-fno-sanitize-recover.*|-Wno-(maybe-uninitialized|restrict|stringop-overflow|stringop-overread|array-bounds)"
)
DROPPED_WITH_VALUE = {"-o", "-include"}


def clang_arguments(entry):
    """The compile command of the database, for clang and without g++'s precompiled header."""
    arguments = []
    words = iter(shlex.split(entry["command"])[1:])
    for word in words:
        if word in DROPPED_WITH_VALUE:
            next(words)
        elif word == "-c" or DROPPED_FLAGS.fullmatch(word) or word == entry["file"]:
            continue
        else:
            arguments.append(word)
    # A system header that uses something deprecated is not our affair.
    return arguments + ["-Wno-gnu-statement-expression", "-Wno-deprecated-declarations"]


@functools.cache
def included_files(path):
    """Our headers that `path` names directly."""
    found = []
    for name in OUR_INCLUDE.findall(path.read_bytes()):
        for base in (ROOT / "src", path.parent, ROOT):
            candidate = base / name.decode()
            if candidate.is_file():
                found.append(candidate.resolve())
                break
    return found


def with_headers(path):
    seen, todo = set(), [path]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(included_files(current))
    return sorted(seen)


@functools.cache
def content_hash(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verdict_key(path, arguments, tool):
    key = hashlib.sha256()
    relative = [word.replace(str(ROOT), ".", 1) for word in arguments]
    key.update("\0".join([tool, content_hash(ROOT / ".clang-tidy"), *relative]).encode())
    for file in with_headers(path):
        key.update(f"{file.relative_to(ROOT)} {content_hash(file)}\n".encode())
    return key.hexdigest()[:32]


def check(path, arguments, fix):
    command = [CLANG_TIDY, "--quiet", *(["--fix"] if fix else []), str(path), "--", *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    noise = re.compile(r"^(\d+ warnings?( and \d+ errors?)? (generated|treated as errors?)\.?|Suppressed .*|Use .*)$")
    told = [line for line in (run.stdout + run.stderr).splitlines() if not noise.match(line)]
    return run.returncode == 0, "\n".join(told).replace(str(ROOT) + "/", "")


def wanted_entries(build_dir, only):
    with open(build_dir / "compile_commands.json", encoding="utf-8") as file:
        database = json.load(file)
    entries = {}
    for entry in database:
        path = pathlib.Path(entry["file"]).resolve()
        ours = path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build")
        if ours and path.is_file() and (not only or path in only):
            entries[path] = clang_arguments(entry)
    return entries


def recorded_keys():
    if not RECORD.exists():
        return set()
    return {line.split()[0] for line in RECORD.read_text().splitlines() if line and not line.startswith("#")}


def record(keys):
    lines = [f"{key} {path.relative_to(ROOT)}" for path, key in sorted(keys.items())]
    RECORD.write_text("# Sources that clang-tidy found clean, by content: written by `make lint`.\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description="clang-tidy over the sources, with remembered verdicts")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--fix", action="store_true", help="apply what clang-tidy suggests (one file at a time)")
    parser.add_argument("--record", action="store_true", help="write what is clean now to scripts/tidy-verdicts.txt")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    entries = wanted_entries(options.build_dir.resolve(), {file.resolve() for file in options.files})
    tool = re.search(r"LLVM version \S+", subprocess.check_output([CLANG_TIDY, "--version"], text=True)).group()
    verdicts = ROOT / "build/tidy"
    verdicts.mkdir(parents=True, exist_ok=True)
    keys = {path: verdict_key(path, arguments, tool) for path, arguments in entries.items()}
    recorded = recorded_keys()
    todo = [path for path in sorted(entries) if keys[path] not in recorded and not (verdicts / keys[path]).exists()]

    dirty = 0
    jobs = 1 if options.fix else options.jobs
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for path, (clean, told) in zip(todo, pool.map(lambda p: check(p, entries[p], options.fix), todo)):
            if clean:
                (verdicts / keys[path]).touch()
            else:
                dirty += 1
                print(told, flush=True)
    if options.record and not options.files and not dirty:
        record(keys)
    print(f"clang-tidy: {len(entries)} files, {len(todo)} checked now, {dirty} with findings")
    return 1 if dirty else 0


if __name__ == "__main__":
    sys.exit(main())
