"""What newcomers start with: the templates and the examples, run as they are."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_template(box, template, *more):
    box.run("init", "hub", "--template", template).expect(0)
    return box.run("run", "--plan", "plan.yaml", "--json", *more, cwd=box.dir / "hub")


def test_the_report_is_written(box):
    """init --template report, run --plan"""
    report = run_template(box, "report").expect(0).json
    assert (report["state"], report["tasks_completed"]) == ("completed", 4), report
    assert "seven times faster" in pathlib.Path(report["deliverables"][0]).read_text(encoding="utf-8")


def test_software_is_built_after_a_persons_approval(box):
    """Without --yes the run ends with exit code 3 and a question; answered, it goes on."""
    waiting = run_template(box, "software").expect(3).json
    assert (waiting["state"], waiting["tasks_completed"]) == ("waiting", 5), waiting
    hub = box.dir / "hub"
    (question,) = box.run("questions", "--json", cwd=hub).expect(0).json
    assert question["kind"] == "approve" and question["task_id"] == "release", question
    box.run("answer", question["id"], "--approve", cwd=hub).expect(0)
    done = box.run("run", "--plan", "plan.yaml", "--json", cwd=hub).expect(0).json
    assert done["state"] == "completed" and len(done["deliverables"]) == 3, done
    program = next(path for path in done["deliverables"] if path.endswith("words.py"))
    counted = subprocess.run(["python3", program, hub / "brief/brief.md"], capture_output=True, text=True, check=True)
    assert re.search(r"^ +\d+  Words by section$", counted.stdout, re.MULTILINE), counted


def test_a_consensus_is_found(box):
    """From 70 on the decision is delivered, and nobody revises the proposal."""
    report = run_template(box, "consensus").expect(0).json
    assert report["state"] == "completed" and report["tasks_completed"] == 4, report
    assert [pathlib.Path(path).name for path in report["deliverables"]] == ["decision.md"], report


def test_the_example_without_a_dag_works_as_its_page_says(box):
    """examples/open-plan/README.md"""
    example = ROOT / "examples/open-plan"
    (block,) = re.findall(r"```\n(.*?)```", (example / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    subprocess.run(["cp", "-r", example, box.dir / "example"], check=True)
    done = subprocess.run(["sh", "-euc", block.replace("agenttalk serve", f"{box.binary} serve")],
                          cwd=box.dir / "example", capture_output=True, text=True, check=True)
    assert done.stdout.startswith("# "), done
