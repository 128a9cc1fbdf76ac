"""The corpus of malformed documents, each through the program."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys

from sandbox import Skip

GENERATOR = pathlib.Path(__file__).resolve().parent.parent / "data/malformed/generate.py"


def test_every_document_gives_its_codes_and_exit_code(box):
    if not GENERATOR.is_file():
        raise Skip("there is no corpus")
    subprocess.run([sys.executable, GENERATOR, box.dir], check=True, stdout=subprocess.DEVNULL)
    manifest = json.loads((box.dir / "manifest.json").read_text(encoding="utf-8"))
    assert sum(bool(entry["codes"]) for entry in manifest) >= 500, "the corpus has shrunk"

    def complaint(entry):
        outcome = box.run("validate", "--json", entry["file"])
        if outcome.code != (2 if entry["codes"] else 0):
            return f"{entry['file']}: exit code {outcome.code}, expected the codes {entry['codes']}\n{outcome}"
        (check,) = outcome.json
        if check["kind"] != entry["kind"]:
            return f"{entry['file']}: taken for a {check['kind']}"
        codes = sorted({error["code"] for error in check["errors"]})
        if codes != sorted(set(entry["codes"])):
            return f"{entry['file']}: {codes}, expected {entry['codes']}"
        return None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints = [text for text in pool.map(complaint, manifest) if text]
    assert not complaints, f"{len(complaints)} of {len(manifest)}:\n" + "\n".join(complaints[:20])


def test_every_command_of_the_sources_is_accepted_or_completed(box):
    examples = sorted(GENERATOR.parent.parent.glob("commands/*.json"))
    assert len(examples) >= 5, examples
    for path in examples:
        text = path.read_text(encoding="utf-8")
        if box.run("validate", "--kind", "command", path).code != 0:
            made = box.run("command", "new", "--from", "-", "--json", stdin=text).expect(0).json
            assert made["ok"] and made["warnings"], (path, made)
