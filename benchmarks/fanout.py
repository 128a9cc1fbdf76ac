#!/usr/bin/env python3
"""1 → 1,000 → 1 and 1 → 100,000 → 1 through the program itself: with files put off against one commit a step, with every
file written against plainly making and renaming as many."""

import statistics

from measure import WORK, disk, plain_files, tell
from plan_run import fan, make_hub, run_plan

REPEATS = 3


def measure(width):
    lazy, full, plain, left = [], [], [], 0
    for number in range(REPEATS):
        name = f"{width}-{number}"
        elapsed, _, _ = run_plan(make_hub(WORK / f"lazy{name}", "lazy"), fan(f"plan_lazy{number}", width))
        lazy.append((width + 2) / elapsed)
        _, wall, left = run_plan(make_hub(WORK / f"full{name}", "full"), fan(f"plan_full{number}", width))
        full.append(wall)
        plain.append(plain_files(WORK / f"plain{name}", left))
    commit, _ = disk()
    ratio = statistics.median(lazy) * commit
    tell(f"fanout: 1 to {width:,} to 1, files put off", lazy, "steps/s", yardstick=f"SQLite commit {1 / commit:,.0f}/s",
         ratio=round(ratio, 2), target=">= 4 x", ok=ratio >= 4)
    ratio = statistics.median(plain) / statistics.median(full)
    tell(f"fanout: 1 to {width:,} to 1, until the last file", [(width + 2) / wall for wall in full], "steps/s",
         yardstick=f"{left:,} files made and renamed {statistics.median(plain):.2f} s", ratio=round(ratio, 2),
         target=">= 0.5 x", ok=ratio >= 0.5)


def main():
    measure(1_000)
    measure(100_000)


if __name__ == "__main__":
    main()
