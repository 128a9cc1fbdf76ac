#!/usr/bin/env python3
"""Writes the corpus of malformed documents, and valid ones beside them, as files with a manifest.

usage: generate.py DIRECTORY

DIRECTORY/manifest.json lists {file, kind, codes, schema, why}: `codes` are exactly the error codes that validation
must give (none: the document is valid); `schema` says what the JSON Schema of the kind must say: "refuses", "accepts"
(for a malformed document: a schema cannot express what is wrong, `why` says it), or "unasked" (there is no value
to look at). Most documents are made by breaking one field of a valid one (fields.py); handmade.json has the rest.
"""

import copy
import json
import pathlib
import sys

from fields import DOCUMENTS, FITTING, SAMPLES, UNSAFE_NAMES
from texts import texts

HERE = pathlib.Path(__file__).parent
# What `agenttalk validate` knows the kind by.
NAMES = {"command": "cmd_{}.json", "dag": "dag_{}.json", "plan": "plan_{}.yaml", "profile": "profile_{}.json",
         "config": "config_{}.yaml", "message": "msg_{}.json", "output": "output_{}.json",
         "sop": "sop_{}.yaml"}


def changed(document, path, change):
    """A copy of the document after change(parent, key)."""
    document = copy.deepcopy(document)
    parent = document
    for step in path[:-1]:
        parent = parent[int(step)] if isinstance(parent, list) else parent[step]
    key = int(path[-1]) if isinstance(parent, list) else path[-1]
    change(parent, key)
    return document


def with_value(document, path, value):
    def change(parent, key):
        parent[key] = value
    return changed(document, path, change)


def without(document, path):
    def change(parent, key):
        del parent[key]
    return changed(document, path, change)


def wrong_items(field):
    """Values of the right type that cannot be accepted: (name, value, code)."""
    kind, invalid = field.kind, field.invalid
    if kind in ("text", "name", "output", "pattern"):
        blank = field.required or invalid
        yield "empty", "", blank
        yield "blank", " \t\n", blank
    if kind in ("name", "output", "pattern"):
        for i, name in enumerate(UNSAFE_NAMES):
            yield f"unsafe{i}", name, "NAME_UNSAFE"
    if kind == "output":
        yield "command", "cmd_x.json", "NAME_UNSAFE"
        yield "unfinished", "x.part", "NAME_UNSAFE"
    if kind in ("int", "number") and field.low is not None:
        yield "below", field.low - 1, invalid
        yield "far_below", -1e300, invalid
        yield "far_above", 1e300, invalid
        if field.high < 2**63 - 1:
            yield "above", field.high + 1, invalid
    if kind == "int":
        yield "fraction", 1.5, invalid
    if kind == "choice":
        for name, value in (("other", "nonsense"), ("empty", ""), ("case", "fULL"), ("spaces", " en ")):
            yield name, value, invalid
    if kind == "sha256":
        for name, value in (("empty", ""), ("short", "ab" * 31), ("long", "ab" * 33), ("letters", "xy" * 32)):
            yield name, value, invalid
    if kind == "time":
        for name, value in (("empty", ""), ("word", "yesterday"), ("date", "2026-11-15"), ("short", "2026-11-15T12:00")):
            yield name, value, invalid
    if kind == "period":
        for name, value in (("word", "soon"), ("empty", ""), ("unit", "10 parsecs"), ("negative", "-5s"), ("zero", 0),
                            ("zero_text", "0m"), ("below", -1), ("far_above", 1e300)):
            yield name, value, invalid
    if kind in ("names", "one_or_names", "inputs", "one_or_inputs", "outputs", "one_or_outputs", "paths", "patterns"):
        yield "item_type", [7], "TYPE_MISMATCH"
        yield "item_null", [None], "TYPE_MISMATCH"
        yield "item_unsafe", ["../x"], "NAME_UNSAFE"
        yield "item_empty", [""], "NAME_UNSAFE"
    if kind == "texts":
        yield "item_type", [7], "TYPE_MISMATCH"
        yield "item_blank", [" "], invalid
    if kind == "strings":
        yield "item_type", ["x", {}], "TYPE_MISMATCH"
    if kind == "objects":
        yield "item_type", [7], "TYPE_MISMATCH"
        yield "item_text", ["x"], "TYPE_MISMATCH"
    if kind in ("inputs", "one_or_inputs", "outputs", "one_or_outputs"):
        yield "item_nameless", [{}], "FIELD_MISSING"


def mutations(document, field):
    path = field.path
    for name, sample in SAMPLES.items():
        if name not in FITTING[field.kind]:
            yield f"is_{name}", with_value(document, path, sample), "TYPE_MISMATCH"
    if field.required:
        yield "missing", without(document, path), field.required
    for name, value, code in wrong_items(field):
        yield name, with_value(document, path, value), code


class Corpus:
    def __init__(self, directory):
        self.directory = directory
        self.entries = []

    def add(self, kind, name, text, codes, schema, why=""):
        file = NAMES[kind].format(name)
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        (self.directory / file).write_bytes(data)
        self.entries.append({"file": file, "kind": kind, "codes": sorted(codes), "schema": schema, "why": why})

    def finish(self):
        files = [entry["file"] for entry in self.entries]
        assert len(files) == len(set(files)), "two documents of one name"
        manifest = json.dumps(self.entries, indent=0, ensure_ascii=False)
        (self.directory / "manifest.json").write_text(manifest + "\n", encoding="utf-8")


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(directory)
    for kind, base, document, fields in DOCUMENTS:
        corpus.add(kind, f"{base}_valid", json.dumps(document, indent=1), [], "accepts")
        for field in fields:
            for name, broken, code in mutations(document, field):
                text = json.dumps(broken, indent=1)
                # valijson ends a text at its first NUL.
                corpus.add(kind, f"{base}_{'-'.join(field.path)}_{name}", text, [code],
                           "unasked" if "\\u0000" in text else "refuses")
    for kind, name, text, code in texts():
        corpus.add(kind, f"text_{name}", text, [code], "refuses" if code == "TYPE_MISMATCH" else "unasked")
    for entry in json.loads((HERE / "handmade.json").read_text(encoding="utf-8")):
        text = entry["text"] if "text" in entry else json.dumps(entry["document"], indent=1)
        corpus.add(entry["kind"], f"hand_{entry['name']}", text, entry["codes"], entry.get("schema", "refuses"),
                   entry.get("why", ""))
    corpus.finish()


if __name__ == "__main__":
    main()
