#!/usr/bin/env python3
"""Lets clang check which lock guards which member (-Wthread-safety), in the sources that name base/mutex.h.

usage: check-locks.py [FILE…]

g++ builds the program and knows nothing of it; the fuzz targets, which clang builds, use few of these files. Only the
analysis runs, nothing is compiled. A plain std::mutex outside of tests is a finding too: clang does not follow it.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
CLANG = "clang++-19"
MUTEX = '#include "base/mutex.h"'
PLAIN = re.compile(r"\bstd::(mutex|recursive_mutex|shared_mutex|timed_mutex|lock_guard|scoped_lock|unique_lock)\b")
FLAGS = ["-std=c++23", "-DAGENTTALK_VERSION=\"\"", "-fsyntax-only", "-I" + str(SRC), "-DAGENTTALK_SOURCE_DIR=\".\"", "-Wno-everything", "-Wthread-safety", "-Werror=thread-safety"]


def is_test(path):
    return path.name.endswith(("_test.cc", "fixture.h", "test_server.h"))


def guarded_sources():
    """The sources that include base/mutex.h, or a header of their folder that does: they hold its functions."""
    headers = [h.relative_to(SRC).as_posix() for h in SRC.rglob("*.h") if MUTEX in h.read_text(encoding="utf-8")]
    for path in sorted(SRC.rglob("*.cc")):
        folder = path.parent.relative_to(SRC).as_posix()
        needles = [MUTEX] + [f'#include "{name}"' for name in headers if name.rpartition("/")[0] == folder]
        text = path.read_text(encoding="utf-8")
        if not is_test(path) and any(needle in text for needle in needles):
            yield path


def check(path):
    run = subprocess.run([CLANG, *FLAGS, str(path)], capture_output=True, text=True, cwd=ROOT)
    return "" if run.returncode == 0 else run.stderr


def plain_locks():
    for path in sorted(SRC.rglob("*")):
        if path.suffix not in (".h", ".cc") or path == SRC / "base/mutex.h" or is_test(path):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if PLAIN.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: use Mutex and MutexLock of base/mutex.h, which clang checks"


def main():
    sources = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or list(guarded_sources())
    found = [] if sys.argv[1:] else list(plain_locks())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found += [text for text in pool.map(check, sources) if text]
    print("\n".join(found) if found else f"locks: {len(sources)} files obey")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
