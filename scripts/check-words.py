#!/usr/bin/env python3
"""Holds what the engine says to people and models to the catalogue (src/model/words), where each text is in every language.

What is wrong with a model's answer is found in English and told in the hub's language: each wording of the files in
ANSWERS has a row in the table of src/model/words/diagnostics.cc.

A literal of two words and more in src/engine is a text that somebody reads. It belongs into the catalogue, unless it is a
diagnostic for whoever called: an error with a code, or a warning about a file or command. To people these are English, as the
command line is. Descriptions of thinking commands and actions are declared in English where they are implemented; their Chinese is in
DescriptionOf. A phrase that nothing says is no part of the catalogue.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
TEXT = re.compile(r"\b[A-Za-z]?[a-z]+[,:;]? [a-z]{2,}")
# What makes a statement a diagnostic.
DIAGNOSTIC = re.compile(r"\bError\{|\bFail\(|\bRefuse\(|\bRefuseWith\(|ErrorCode::k\w+, *(?:root|path|std::move\(path\)|\"/)|\.errors? = |"
                        r"\bwarnings\.push_back|\.Error\(|\bmessage \+= ")
# Files whose other words are all for whoever called: a verb, whoever dropped a file, a model that gave malformed commands.
DIAGNOSTICS = {
    "src/engine/command/file_intake.cc", "src/engine/dag/file_conflict.cc", "src/engine/dag/plan_control.cc",
    "src/engine/thinking/batch.cc", "src/engine/thinking/plan_draft.cc", "src/engine/thinking/registry.cc",
}
EMITS = re.compile(r"\bEmit\(|\bChange\(|\bCommandEnded\{|\bQuestionClosed\{")
# What thinking commands say of themselves.
DECLARED = {
    "src/engine/thinking/append_task.cc", "src/engine/thinking/ask_human.cc", "src/engine/thinking/finish_current_task.cc",
    "src/engine/thinking/pass.cc", "src/engine/thinking/publish_message.cc", "src/engine/thinking/replace_task.cc",
    "src/engine/thinking/reply_to_human.cc", "src/engine/thinking/reset_task.cc",
}
DECLARATION = re.compile(r"\bAdd\(\{")


def statements(text):
    """(line, statement without comments); a statement ends with a semicolon outside of literals, or with a brace on its own."""
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda found: found.group(1) or "", text)
    line, begin, buffer, quoted, i = 1, 1, "", False, 0
    while i < len(text):
        letter = text[i]
        if letter == "\\" and quoted:
            buffer += text[i:i + 2]
            i += 2
            continue
        if letter == '"':
            quoted = not quoted
        if letter == "\n":
            line += 1
        if not buffer.strip():
            begin = line
        buffer += letter
        if not quoted and (letter == ";" or (letter in "{}" and re.search(r"(\)|const|else|override) *\{$|^\s*\}$", buffer))):
            yield begin, buffer
            buffer = ""
        i += 1
    yield begin, buffer


def complaints(path):
    name = path.relative_to(ROOT).as_posix()
    for line, statement in statements(path.read_text(encoding="utf-8")):
        if statement.lstrip().startswith("#include") or "static_assert" in statement or name in DECLARED:
            continue
        # Neighbouring literals are one text.
        joined = re.sub(r'"\s*"', "", statement)
        texts = [text for text in LITERAL.findall(joined) if TEXT.search(text)]
        if name in DIAGNOSTICS and not EMITS.search(joined):
            continue
        if texts and not DIAGNOSTIC.search(joined) and not DECLARATION.search(joined):
            yield f'{name}:{line}: "{texts[0]}" is not in the catalogue (src/model/words)'


def unused():
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".h", ".cc") and not path.name.endswith("_test.cc")]
    texts = {path: path.read_text(encoding="utf-8") for path in sources}
    for header, kind in (("catalogue.h", "Phrase"), ("reasons.h", "Reason")):
        path = ROOT / "src/model/words" / header
        body = re.search(rf"enum class {kind} .*?\{{(.*?)\}};", texts[path], re.DOTALL).group(1)
        for name in re.findall(r"^\s*(k[A-Z]\w*),", body, re.MULTILINE):
            used = any(re.search(rf"\b{kind}::{name}\b", text) for other, text in texts.items() if other.parent != path.parent)
            if name != "kCount" and not used:
                yield f"src/model/words/{header}: nothing says {kind}::{name}"


# What refuses a model's answer, and what in it refuses nothing.
ANSWERS = [
    "src/prompts/answer_reader.cc", "src/prompts/json_finder.cc", "src/model/answer/stage_contract.cc", "src/model/answer/task_plan_reader.cc",
    "src/model/answer/thinking_command.cc", "src/model/reading/object_reader.cc", "src/model/reading/value_issue.cc",
    "src/model/steps/internal_plan.cc", "src/model/dag/checker.cc", "src/runtime/answers/sent_command.cc",
    "src/engine/command/sending_rules.cc", "src/engine/role/strategy.cc", "src/engine/thinking/append_task.cc",
    "src/engine/thinking/ask_human.cc", "src/engine/thinking/batch.cc", "src/engine/thinking/finish_current_task.cc",
    "src/engine/thinking/plan_draft.cc", "src/engine/thinking/publish_message.cc", "src/engine/thinking/registry.cc",
]
NO_REFUSAL = {
    "the declaration of the command {} is incomplete", "a command has a name, a signature, a description and a handler",
    "there is a command {} already",
}


def literals(text):
    """The texts of a source, neighbouring literals joined, without those of #include."""
    token = re.compile(r'"((?:\\.|[^"\\])*)"|//[^\n]*|\'(?:\\.|[^\'\\])\'|#include[^\n]*')
    found, end = [], None
    for match in token.finditer(text):
        if match.group(1) is None:
            continue
        if end is not None and not text[end:match.start()].strip():
            found[-1] += match.group(1)
        else:
            found.append(match.group(1))
        end = match.end()
    return found


def untold():
    table = ROOT / "src/model/words/diagnostics.cc"
    body = table.read_text(encoding="utf-8").split("kRows = ", 1)[1].split("\n});", 1)[0]
    rows = literals(body)
    known = dict(zip(rows[::2], rows[1::2]))
    for english, chinese in known.items():
        places = english.count("{}") if "{{" not in chinese else 0
        told = {int(found) for found in re.findall(r"(?<!\{)\{(\d)\}", chinese)}
        if places and told != set(range(places)):
            yield f'{table.relative_to(ROOT)}: "{english}" has {places} values, its translation names {sorted(told)}'
    for name in ANSWERS:
        text = (ROOT / name).read_text(encoding="utf-8")
        for wording in literals(text):
            plain = wording.lstrip()
            spoken = TEXT.search(plain) or re.match(r"(an?|must be) [a-z]+$", plain)
            if not spoken or plain in NO_REFUSAL or re.search(r"\w+\(\w+: (str|list)", plain) or plain.endswith("."):
                continue
            if plain not in known and "{} " + plain not in known and "{}" + plain not in known and not declared(name, plain, text):
                yield f'{name}: "{plain}" has no row in src/model/words/diagnostics.cc'


def declared(name, wording, text):
    """Told with the command that it describes, whose Chinese is in DescriptionOf."""
    return name in DECLARED and re.search(r"ArgumentKind::k\w+[^;]*" + re.escape(wording), text) is not None


def main():
    sources = [path for path in sorted((ROOT / "src/engine").rglob("*"))
               if path.suffix in (".h", ".cc") and not path.name.endswith("_test.cc") and "fixture" not in path.name]
    found = [line for path in sources for line in complaints(path)] + list(unused()) + list(untold())
    print("\n".join(found) if found else f"words: {len(sources)} files of the engine say nothing beside the catalogue")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
