"""For benchmarks: a workload with files put off and with every file written, in turn, beside its yardsticks."""

import statistics

from measure import WORK, disk, plain_files, tell
from socket_run import run

REPEATS = 3


def measure(title, dags, lazy_goal, full_goal, files_goal=None):
    """Tells the durable end of the last task as so many times one commit a step and, where there is a goal for it, the last file
    against plainly making and renaming as many. All of it in turn, so that a machine that gets slower slows everything."""
    steps = sum(len(dag["nodes"]) for dag in dags)
    name = title.split(":")[0]
    rates, ratios, walls, plain, left = {"lazy": [], "full": []}, {"lazy": [], "full": []}, [], [], 0
    commits = []
    for number in range(REPEATS):
        for mirror in ("lazy", "full"):
            before = disk(1)[0]
            done, shown, files = run(mirror, f"{name}-{mirror}{number}", dags)
            commit = (before + disk(1)[0]) / 2
            commits.append(commit)
            rates[mirror].append(steps / done)
            ratios[mirror].append(steps / done * commit)
            if mirror == "full":
                walls.append(shown)
                left = files
        if files_goal:
            plain.append(plain_files(WORK / f"{name}-plain{number}", left))
    for mirror, goal, words in (("lazy", lazy_goal, "files put off"), ("full", full_goal, "every file written")):
        ratio = statistics.median(ratios[mirror])
        tell(f"{title}, {words}", rates[mirror], "steps/s", yardstick=f"SQLite commit {1 / statistics.median(commits):,.0f}/s",
             ratio=round(ratio, 2), target=f">= {goal} x", ok=ratio >= goal)
    if files_goal:
        ratio = statistics.median(plain) / statistics.median(walls)
        tell(f"{title}, until the last file", [steps / wall for wall in walls], "steps/s",
             yardstick=f"{left:,} files made and renamed {statistics.median(plain):.2f} s", ratio=round(ratio, 2),
             target=f">= {files_goal} x", ok=ratio >= files_goal)
