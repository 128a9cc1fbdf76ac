"""For benchmarks: a hub on a model that answers at once, and DAG plans that it runs to their end."""

import datetime
import json
import os
import pathlib
import subprocess
import time

from measure import BINARY, files_below

AGENTS = [f"agent_{number}" for number in range(16)]


def make_hub(directory, mirror):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True)
    team = "".join(f"  {agent}: {{max_parallel: 64}}\n" for agent in AGENTS)
    (directory / "agenttalk.yaml").write_text(
        f"version: 1\nmirror: {mirror}\nprovider: offline\nproviders:\n"
        f"  offline: {{kind: scripted, answers: answers.yaml}}\nlimits: {{max_parallel_calls: 4096}}\nagents:\n{team}")
    (directory / "answers.yaml").write_text('- answer: {result: "done"}\n')
    return directory


def node(number, name, needs, last=False):
    task = {"task_id": name, "prompt": f"Do {name}.", "assigned_agent_id": AGENTS[number % len(AGENTS)], "depends_on": needs}
    if last:
        task["outputs"] = [{"name": "end.txt", "deliverable": True}]
    return task


def chain(plan, count):
    nodes = [node(n, f"t{n}", [f"t{n - 1}"] if n else [], n == count - 1) for n in range(count)]
    return {"schema_version": "1.1", "plan_id": plan, "nodes": nodes}


def fan(plan, width):
    nodes = [node(0, "first", [])] + [node(n, f"t{n}", ["first"]) for n in range(width)]
    nodes.append(node(0, "last", [f"t{n}" for n in range(width)], True))
    return {"schema_version": "1.1", "plan_id": plan, "nodes": nodes}


def last_end(hub, plan):
    """When the last task of a plan had ended, by the journal."""
    status = json.loads((hub / f"plans/{plan}/plan_status.json").read_text())
    assert status["state"] == "completed", status
    return max(datetime.datetime.fromisoformat(task["ended_at"]).timestamp() for task in status["tasks"])


def last_file(hub):
    """When the last file was there. What only the journal's folder holds does not count."""
    folders = [folder for folder in hub.iterdir() if folder.is_dir() and folder.name != ".agenttalk"]
    return max(os.stat(os.path.join(path, name)).st_ctime
               for folder in folders for path, _, names in os.walk(folder) for name in names)


def run_plan(hub, dag):
    """Runs it and checks that all of it was done: seconds from the start of the process to the end of the last task,
    to the last file, and how many files there are."""
    file = hub / "dag.json"
    file.write_text(json.dumps(dag))
    before = files_below(hub)
    began = time.time()
    run = subprocess.run([BINARY, "run", "--plan", str(file), "--hub", str(hub), "--json", "--quiet"], text=True,
                         stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})
    last = json.loads(run.stdout.splitlines()[-1])
    assert run.returncode == 0 and last["state"] == "completed", last
    assert last["tasks_completed"] == last["tasks_total"] == len(dag["nodes"]), last
    return last_end(hub, dag["plan_id"]) - began, last_file(hub) - began, files_below(hub) - before
