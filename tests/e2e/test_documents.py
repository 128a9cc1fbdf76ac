"""What the documents show is what happens."""

import os
import pathlib
import re
import subprocess
import sys

from sandbox import Sandbox

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MARK = "<!-- runs -->"
BLOCK = re.compile(re.escape(MARK) + r"\n+```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SOURCE = re.compile(r"`((?:src|tests|docs|scripts|fuzz|schemas|benchmarks|templates)/[\w./-]+\.\w+)`")
MEMBER = re.compile(r"`([A-Z]\w+)::([A-Z]\w+)`")
SENTINEL = "end-of-command"


def documents():
    tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    names = tracked.stdout.split() if tracked.returncode == 0 else []
    return [ROOT / name for name in names] or [path for path in ROOT.rglob("*.md") if "build" not in path.parts]


def steps(document):
    """(command, lines it must print), in order."""
    found = []
    for block in BLOCK.findall((ROOT / document).read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") or line == ">":
                found[-1] = (found[-1][0] + "\n" + line[2:], found[-1][1])
            else:
                found[-1][1].append(line)
    return found


def pattern(lines):
    """`…` is anything within a line; a line of it alone is any number of lines."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append("[^\n]*".join(re.escape(piece) for piece in line.rstrip().split("…")) + r"[ \t]*\n")
    return re.compile("".join(parts))


def typed(commands, box):
    """What a shell prints for each of the commands, and its exit code."""
    # Standard input is the script itself; a command must not read on in it.
    script = "".join(f"{{ {command}\n}} </dev/null 2>&1\nprintf '%s %d\\n' {SENTINEL} $?\n" for command in commands)
    environment = box.environment({"PATH": f"{box.binary.parent}:{os.environ['PATH']}"})
    run = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=box.dir, env=environment, timeout=120)
    answers = re.findall(rf"(.*?){SENTINEL} (\d+)\n", run.stdout, re.DOTALL)
    assert len(answers) == len(commands), f"the shell ended early\n{run.stdout}\n{run.stderr}"
    return [(text, int(code)) for text, code in answers]


def check_tour(document, box):
    shown = steps(document)
    assert shown, f"{document} has no block marked {MARK}"
    for (command, lines), (text, code) in zip(shown, typed([command for command, _ in shown], box)):
        assert code == 0, f"{document}: exit code {code}\n$ {command}\n{text}"
        assert pattern(lines).fullmatch(text), f"{document}\n$ {command}\n-- printed\n{text}-- shown\n" + "\n".join(lines)


def test_tour_of_the_readme_happens_as_shown(box):
    check_tour("README.md", box)


def test_chinese_tour_happens_as_shown(box):
    check_tour("README.zh-CN.md", box)


def test_tutorial_happens_as_shown(box):
    check_tour("docs/tutorial.md", box)


def test_how_to_pages_happen_as_shown(box):
    for page in sorted((ROOT / "docs/how-to").glob("*.md")):
        if MARK in page.read_text(encoding="utf-8"):
            with Sandbox(box.binary) as fresh:
                check_tour(f"docs/how-to/{page.name}", fresh)


def test_page_about_external_agents_happens_as_shown(box):
    check_tour("docs/external_agents.md", box)


def test_example_with_people_happens_as_shown(box):
    for file in (ROOT / "examples/human-in-the-loop").iterdir():
        box.write(file.name, file.read_text(encoding="utf-8"))
    check_tour("examples/human-in-the-loop/README.md", box)


def test_reference_is_what_the_program_says(box):
    check = subprocess.run([sys.executable, ROOT / "scripts/reference.py", "--binary", box.binary, "--check"],
                           capture_output=True, text=True)
    assert check.returncode == 0, check.stderr


def test_both_readmes_show_the_same_commands(_box):
    english, chinese = ([command for command, _ in steps(name)] for name in ("README.md", "README.zh-CN.md"))
    assert english == chinese, set(english) ^ set(chinese)


def test_readme_lists_the_verbs_that_there_are(box):
    table = box.run("--help").expect(0).out.split("Verbs:\n")[1].split("\n\n")[0]
    verbs = {re.split(r"\s{2,}", line.strip())[0] for line in table.splitlines()}
    for name in ("README.md", "README.zh-CN.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        listed = set(re.findall(r"^\| `agenttalk ([a-z-]+(?: [a-z]+)?)", text, re.MULTILINE))
        assert listed == verbs, f"{name}: {listed ^ verbs}"


def test_documents_link_to_files_that_exist(_box):
    for document in documents():
        for target in LINK.findall(document.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_documents_name_sources_that_exist(_box):
    for document in documents():
        for name in SOURCE.findall(document.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{document.name} names {name}"


def test_documents_name_functions_that_exist(_box):
    headers = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.h")]
    for document in documents():
        for owner, member in MEMBER.findall(document.read_text(encoding="utf-8")):
            declared = re.compile(rf"\b(?:class|struct) {owner}\b[^;]*{{.*\b{member}\b", re.DOTALL)
            assert any(declared.search(text) for text in headers), f"{document.name} names {owner}::{member}"


def test_examples_of_the_formats_are_valid(box):
    examples = {"command": "json", "profile": "json", "config": "yaml", "plan": "yaml"}
    for kind, language in examples.items():
        text = (ROOT / f"docs/formats/{kind}.md").read_text(encoding="utf-8")
        example = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
        box.run("validate", "--kind", kind, box.write(f"example.{language}", example)).expect(0)
