#!/usr/bin/env python3
"""A chain of 1,000 tasks through a served hub's socket, each made durable before the next is asked, against the plainest commit
a step."""

from measured_plans import measure
from plan_run import chain

if __name__ == "__main__":
    measure("chain: 1,000 tasks, one after the other", [chain("plan_chain", 1000)], 0.9, 0.8)
