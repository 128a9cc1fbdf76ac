#!/usr/bin/env python3
"""Holds the sources to locks that clang checks: Mutex and MutexLock of base/mutex.h, not those of the standard library.

Which lock guards which member is checked (-Wthread-safety, an error) by every build with clang, and the release build is one.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
PLAIN = re.compile(r"\bstd::(mutex|recursive_mutex|shared_mutex|timed_mutex|lock_guard|scoped_lock|unique_lock)\b")


def is_test(path):
    return path.name.endswith(("_test.cc", "fixture.h", "test_server.h"))


def main():
    found, files = [], 0
    for path in sorted(SRC.rglob("*")):
        if path.suffix not in (".h", ".cc") or path == SRC / "base/mutex.h" or is_test(path):
            continue
        files += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if PLAIN.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: use Mutex and MutexLock of base/mutex.h, which clang checks")
    print("\n".join(found) if found else f"locks: {files} files obey")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
