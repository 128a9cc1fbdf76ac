"""Memory and processes of a program and all that it started, bounded together by the kernel."""

import os
import pathlib

import group_attacks
from attack import Attacks, sandbox_missing
from guest import Unfit, guest_missing, in_guest

ROOT = pathlib.Path("/sys/fs/cgroup")


def groups_missing():
    if os.geteuid() != 0:
        return "only root can give a group away"
    enabled = ROOT / "cgroup.subtree_control"
    if not enabled.exists() or not {"memory", "pids"} <= set(enabled.read_text().split()):
        return "control groups (cgroup v2) with memory and pids are not mounted here"
    return None


def test_a_group_bounds_what_a_program_takes(box):
    """On this machine where it has such groups, else in a guest"""
    missing = sandbox_missing()
    if not missing and groups_missing() is None:
        group_attacks.every(box)
        return
    missing = missing or guest_missing(box.binary)
    with Attacks(box, "sandbox") as tried:
        if missing:
            tried.skipped("all of group_attacks.py", f"{groups_missing()}; {missing}")
            return
        try:
            tally, text = in_guest(box, "group_attacks", "every")
        except Unfit as reason:
            tried.skipped("all of group_attacks.py", f"{groups_missing()}; {reason}")
            return
        assert len(tally.get("sandbox", [])) >= 14, text[-6000:]
        for name, outcome in tally["sandbox"]:
            tried.repelled(name, outcome == "repelled", text[-6000:])
