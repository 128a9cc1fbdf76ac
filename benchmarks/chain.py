#!/usr/bin/env python3
"""A chain of 1,000 tasks through the program itself, each made durable before the next is asked, every file written,
against the plainest commit a step."""

from measure import WORK, disk, tell
from plan_run import chain, make_hub, run_plan

TASKS = 1000


def main():
    rates = []
    for number in range(5):
        hub = make_hub(WORK / f"hub{number}", "full")
        elapsed, _, _ = run_plan(hub, chain(f"plan_chain{number}", TASKS))
        rates.append(TASKS / elapsed)
    commit, append = disk()
    median = sorted(rates)[len(rates) // 2]
    tell("chain: a task after the other, files written", rates, "steps/s",
         yardstick=f"SQLite commit {1 / commit:,.0f}/s, append+fdatasync {1 / append:,.0f}/s",
         ratio=round(median * commit, 2), target=">= 0.6 x", ok=median * commit >= 0.6)


if __name__ == "__main__":
    main()
