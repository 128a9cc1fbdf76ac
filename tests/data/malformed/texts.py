"""Texts that are not even JSON or YAML, or are too much of it: (kind, name, bytes or text, code)."""

import json

JSON_KINDS = ["command", "dag", "profile", "message", "output"]
YAML_KINDS = ["plan", "config"]

# A field that holds a text, and one that no reader knows.
TEXT_FIELD = {"command": "prompt", "dag": "plan_id", "profile": "prompt", "message": "content", "output": "thought"}


def deep(depth):
    return '{"x":' + "[" * depth + "]" * depth + "}"


def json_texts(kind):
    field = TEXT_FIELD[kind]
    yield "empty", "", "JSON_INVALID"
    yield "blank", " \n\t ", "JSON_INVALID"
    yield "open_object", "{", "JSON_INVALID"
    yield "cut_string", f'{{"{field}": "abc', "JSON_INVALID"
    yield "cut_key", f'{{"{field}', "JSON_INVALID"
    yield "trailing_comma", f'{{"{field}": "a",}}', "JSON_INVALID"
    yield "missing_comma", f'{{"{field}": "a" "b": 1}}', "JSON_INVALID"
    yield "two_values", f'{{"{field}": "a"}} {{}}', "JSON_INVALID"
    yield "trailing_text", f'{{"{field}": "a"}} end', "JSON_INVALID"
    yield "single_quotes", f"{{'{field}': 'a'}}", "JSON_INVALID"
    yield "bare_key", f'{{{field}: "a"}}', "JSON_INVALID"
    yield "comment", f'{{"{field}": "a" /* why */}}', "JSON_INVALID"
    yield "nan", f'{{"{field}": NaN}}', "JSON_INVALID"
    yield "infinity", f'{{"{field}": -Infinity}}', "JSON_INVALID"
    yield "leading_zero", f'{{"{field}": 012}}', "JSON_INVALID"
    yield "bare_point", f'{{"{field}": .5}}', "JSON_INVALID"
    yield "plus", f'{{"{field}": +5}}', "JSON_INVALID"
    yield "huge_exponent", f'{{"{field}": 1e99999}}', "JSON_INVALID"
    yield "control", f'{{"{field}": "a\x01b"}}', "JSON_INVALID"
    yield "newline_in_string", f'{{"{field}": "a\nb"}}', "JSON_INVALID"
    yield "bad_escape", f'{{"{field}": "\\x41"}}', "JSON_INVALID"
    yield "lone_surrogate", f'{{"{field}": "\\ud800"}}', "JSON_INVALID"
    yield "duplicate_key", f'{{"{field}": "a", "{field}": "b"}}', "JSON_INVALID"
    yield "duplicate_escaped_key", f'{{"{field}": "a", "\\u{ord(field[0]):04x}{field[1:]}": "b"}}', "JSON_INVALID"
    yield "duplicate_nested_key", '{"x": [{"a": 1, "a": 2}]}', "JSON_INVALID"
    yield "utf8_stray", f'{{"{field}": "'.encode() + b'\x80"}', "JSON_INVALID"
    yield "utf8_cut", f'{{"{field}": "'.encode() + b'\xe4\xbd"}', "JSON_INVALID"
    yield "utf8_overlong", f'{{"{field}": "'.encode() + b'\xc0\xaf"}', "JSON_INVALID"
    yield "utf8_surrogate", f'{{"{field}": "'.encode() + b'\xed\xa0\x80"}', "JSON_INVALID"
    yield "utf8_above", f'{{"{field}": "'.encode() + b'\xf4\x90\x80\x80"}', "JSON_INVALID"
    yield "utf8_in_key", b'{"\xff": 1}', "JSON_INVALID"
    yield "utf16", '{"a": "b"}'.encode("utf-16"), "JSON_INVALID"
    yield "nul", b'{"a": 1}\x00', "JSON_INVALID"
    yield "yaml", f"{field}: a\n", "JSON_INVALID"
    yield "html", "<html></html>", "JSON_INVALID"
    yield "deep", deep(64), "JSON_TOO_DEEP"
    yield "very_deep", deep(50_000), "JSON_TOO_DEEP"
    yield "deep_objects", '{"x":' * 70 + "1" + "}" * 70, "JSON_TOO_DEEP"
    for name, value in (("array", []), ("string", "x"), ("number", 1), ("true", True), ("null", None)):
        yield f"top_{name}", json.dumps(value), "TYPE_MISMATCH"
    if kind in ("command", "message", "profile"):
        yield "huge", json.dumps({field: "x" * (1 << 20)}), "TOO_LARGE"
    if kind == "output":
        yield "huge", json.dumps({field: "x" * (4 << 20)}), "TOO_LARGE"


def bomb():
    lines = ["a0: &a0 [" + ", ".join(["lol"] * 9) + "]"]
    for i in range(1, 12):
        lines.append(f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]")
    return "\n".join(lines) + "\n"


def yaml_texts(kind):
    field = "plan" if kind == "plan" else "provider"
    yield "open_list", f"{field}: [a, b\n", "YAML_INVALID"
    yield "open_map", f"{field}: {{a: b\n", "YAML_INVALID"
    yield "open_quote", f'{field}: "abc\n', "YAML_INVALID"
    yield "open_quote_to_the_end", f"{field}: 'abc", "YAML_INVALID"
    yield "tab", f"a:\n\t{field}: x\n", "YAML_INVALID"
    yield "bad_indent", f"a:\n    b: 1\n  {field}: 2\n", "YAML_INVALID"
    yield "duplicate_key", f"{field}: a\n{field}: b\n", "YAML_INVALID"
    yield "duplicate_quoted_key", f"{field}: a\n'{field}': b\n", "YAML_INVALID"
    yield "duplicate_nested_key", "x: {a: 1, a: 2}\n", "YAML_INVALID"
    yield "merge_key", "base: &b {a: 1}\nother: {<<: *b}\n", "YAML_INVALID"
    yield "list_key", "[a, b]: c\n", "YAML_INVALID"
    yield "unknown_alias", f"{field}: *nowhere\n", "YAML_INVALID"
    yield "self_alias", f"{field}: &a [*a]\n", "YAML_INVALID"
    yield "foreign_tag", f"{field}: !thing x\n", "YAML_INVALID"
    yield "wrong_tag", f"{field}: !!int x\n", "YAML_INVALID"
    yield "two_documents", f"{field}: a\n---\n{field}: b\n", "YAML_INVALID"
    yield "two_documents_same", "--- {}\n--- {}\n", "YAML_INVALID"
    yield "utf8_stray", f"{field}: ".encode() + b"\x80\n", "YAML_INVALID"
    yield "utf8_overlong", f"{field}: ".encode() + b"\xc0\xaf\n", "YAML_INVALID"
    yield "latin1", f"{field}: ".encode() + "Müller\n".encode("latin-1"), "YAML_INVALID"
    yield "utf16", f"{field}: a\n".encode("utf-16"), "YAML_INVALID"
    yield "nul", f"{field}: a\x00b\n", "YAML_INVALID"
    yield "control", f"{field}: a\x07b\n", "YAML_INVALID"
    yield "bomb", bomb(), "TOO_LARGE"
    yield "deep", deep(64), "JSON_TOO_DEEP"
    yield "very_deep", deep(20_000), "JSON_TOO_DEEP"
    for name, text in (("list", "- a\n"), ("text", "just words\n"), ("number", "12\n"), ("empty", ""),
                       ("comment", "# nothing\n")):
        yield f"top_{name}", text, "TYPE_MISMATCH"
    if kind == "config":
        yield "huge", "# " + "x" * (1 << 20) + "\n", "TOO_LARGE"


def texts():
    for kind in JSON_KINDS:
        for name, text, code in json_texts(kind):
            yield kind, name, text, code
    for kind in YAML_KINDS:
        for name, text, code in yaml_texts(kind):
            yield kind, name, text, code
