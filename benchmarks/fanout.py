#!/usr/bin/env python3
"""1 → 1,000 → 1 through a served hub's socket, against one commit a step."""

from measured_plans import measure
from plan_run import fan

if __name__ == "__main__":
    measure("fanout: 1 to 1,000 to 1", [fan("plan_fan", 1000)], 5, 4, 0.5)
