"""What people read is in plain words: the list is in CONTRIBUTING.md."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CHANGELOG.md", *sorted(str(page.relative_to(ROOT)) for pattern in
         ("*ARCHITECTURE.md", "docs/**/*.md", "examples/*/README.md") for page in ROOT.glob(pattern))]
AVOIDED = re.compile(r"\b(goes on|go on|anew|mend(?:s|ed)?|lies (?:in|there|under|beside|below)|stands? (?:in|for|between|there)|"
                     r"takes? in|looks? whether|nobody asks|heed(?:s|ed)?|before (?:its|their|the stages') eyes)\b", re.IGNORECASE)


def found_in(text):
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [match.group(0) for match in AVOIDED.finditer(prose)]


def test_documents_use_plain_words(_box):
    found = {page: words for page in PAGES if (words := found_in((ROOT / page).read_text(encoding="utf-8")))}
    assert not found, found


def test_help_uses_plain_words(box):
    listed = box.run("--help").expect(0).out
    verbs = [re.split(r"\s{2,}", line.strip())[0] for line in listed.split("Verbs:\n")[1].split("\n\n")[0].splitlines()]
    found = {"--help": found_in(listed)} if found_in(listed) else {}
    for verb in verbs:
        if words := found_in(box.run(*verb.split(), "--help").expect(0).out):
            found[verb] = words
    assert not found, found
