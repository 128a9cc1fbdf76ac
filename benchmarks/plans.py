#!/usr/bin/env python3
"""1,000 plans of five tasks at once through a served hub's socket: against one commit a step, and against plainly making and
renaming as many files."""

from measured_plans import measure
from plan_run import chain

if __name__ == "__main__":
    measure("plans: 1,000 of 5 tasks at once", [chain(f"plan_p{number}", 5) for number in range(1000)], 5, 2.5, 0.5)
