"""docs/security.md names no protection that is not attacked, and no attack goes unmentioned."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLAIMING = ("A hub from somebody else", "Other users of the machine", "Files in boxes", "Models", "Programs that models run", "Model servers", "MCP servers",
            "The control socket", "MCP clients", "What people see")


def claims():
    """(section, text, names of tests) of every bullet in a section that claims protection."""
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, body = section.split("\n", 1)
        if title not in CLAIMING:
            continue
        for bullet in re.split(r"^- ", body, flags=re.M)[1:]:
            bullet = bullet.split("\n\n")[0]
            named = []
            for comment in re.findall(r"<!--(.*?)-->", bullet, flags=re.S):
                for part in comment.split(";"):
                    module, _, functions = part.strip().partition(":")
                    named += [(module.strip(), function) for function in functions.split()]
            yield title, bullet, named


def tests():
    found = set()
    for path in (ROOT / "tests/attacks").glob("test_*.py"):
        for name in re.findall(r"^def test_(\w+)\(", path.read_text(encoding="utf-8"), flags=re.M):
            found.add((path.stem, name))
    return found


def test_every_claim_has_its_attacks(box):
    """and every attack its claim"""
    there = tests()
    every = list(claims())
    assert len(every) >= 25, len(every)
    assert {title for title, _, _ in every} == set(CLAIMING)
    named = set()
    for title, bullet, attacks in every:
        assert attacks, f"{title}: no attack is named for: {bullet}"
        for attack in attacks:
            assert attack in there, f"{title}: there is no attack {attack}"
        named.update(attacks)
    silent = {test for test in there if test[0] != "test_document"} - named
    assert not silent, f"not mentioned in docs/security.md: {sorted(silent)}"
