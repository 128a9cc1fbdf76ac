"""What is wrong with `tools:` and `mcp_servers:` is said with its kind, its place and what to do about it."""

import json

# what is wrong, its entry under tools (as `count`), code, path below /tools/count
TOOLS = [
    ("no object", "5", "TYPE_MISMATCH", ""),
    ("nothing in it", "{}", "FIELD_MISSING", "/description"),
    ("no description", "{command: [wc]}", "FIELD_MISSING", "/description"),
    ("an empty description", "{description: '', command: [wc]}", "FIELD_MISSING", "/description"),
    ("a description that is no text", "{description: [d], command: [wc]}", "TYPE_MISMATCH", "/description"),
    ("a description that is a book", "{description: '" + "x" * 5000 + "', command: [wc]}", "TOO_LARGE", "/description"),
    ("no command", "{description: d}", "FIELD_MISSING", "/command"),
    ("a command line for a shell", "{description: d, command: wc -l}", "TYPE_MISMATCH", "/command"),
    ("a command without a program", "{description: d, command: []}", "VALUE_INVALID", "/command"),
    ("a program without a name", "{description: d, command: ['']}", "VALUE_INVALID", "/command"),
    ("a program that the model chooses", "{description: d, command: ['{path}'], schema: {type: object, properties: {path: {type: string}}}}",
     "VALUE_INVALID", "/command"),
    ("an argument that is no text", "{description: d, command: [wc, 5]}", "TYPE_MISMATCH", "/command/1"),
    ("a path out of tools/", "{description: d, command: [tools/../../evil]}", "NAME_UNSAFE", "/command"),
    ("an argument that the schema has not", "{description: d, command: [wc, '{paht}'], schema: {type: object, properties: {path: {type: string}}}}",
     "VALUE_INVALID", "/command"),
    ("an argument without a schema", "{description: d, command: [wc, '{path}']}", "VALUE_INVALID", "/command"),
    ("a schema that is a list", "{description: d, command: [wc], schema: []}", "TYPE_MISMATCH", "/schema"),
    ("a schema of a text", "{description: d, command: [wc], schema: {type: string}}", "TYPE_MISMATCH", "/schema"),
    ("a type that there is not", "{description: d, command: [wc], schema: {type: object, properties: {n: {type: integr}}}}", "VALUE_INVALID",
     "/schema/properties/n/type"),
    ("a misspelt keyword", "{description: d, command: [wc], schema: {type: object, propertys: {}}}", "UNKNOWN_FIELD", "/schema/propertys"),
    ("a schema elsewhere", "{description: d, command: [wc], schema: {type: object, properties: {n: {$ref: 'https://example.org/s.json'}}}}",
     "VALUE_INVALID", "/schema/properties/n/$ref"),
    ("a pattern that is none", "{description: d, command: [wc], schema: {type: object, properties: {n: {type: string, pattern: '('}}}}", "VALUE_INVALID",
     "/schema/properties/n/pattern"),
    ("a list of hosts", "{description: d, command: [wc], network: [example.org]}", "TYPE_MISMATCH", "/network"),
    ("network in words", "{description: d, command: [wc], network: 'yes'}", "TYPE_MISMATCH", "/network"),
    ("idempotent in words", "{description: d, command: [wc], idempotent: maybe}", "TYPE_MISMATCH", "/idempotent"),
    ("a time that is none", "{description: d, command: [wc], timeout: soon}", "VALUE_INVALID", "/timeout"),
    ("no time at all", "{description: d, command: [wc], timeout: 0s}", "VALUE_INVALID", "/timeout"),
    ("two days", "{description: d, command: [wc], timeout: 48h}", "VALUE_INVALID", "/timeout"),
    ("env as an object", "{description: d, command: [wc], env: {KEY: secret}}", "TYPE_MISMATCH", "/env"),
    ("a variable that is none", "{description: d, command: [wc], env: ['A=b']}", "VALUE_INVALID", "/env"),
    ("a variable of the sandbox", "{description: d, command: [wc], env: [HOME]}", "VALUE_INVALID", "/env"),
    ("less than no output", "{description: d, command: [wc], max_output_bytes: -1}", "VALUE_INVALID", "/max_output_bytes"),
    ("output in words", "{description: d, command: [wc], max_output_bytes: much}", "TYPE_MISMATCH", "/max_output_bytes"),
    ("a key that there is not", "{description: d, command: [wc], comand: [wc]}", "UNKNOWN_FIELD", "/comand"),
]
# A name is wrong as a whole.
TOOL_NAMES = [("with a space", "'word count'", "NAME_UNSAFE"), ("with a path", "../count", "NAME_UNSAFE"), ("too long", "x" * 65, "NAME_UNSAFE"),
              ("built in", "read_file", "VALUE_INVALID"), ("of a server", "mcp__files__read", "VALUE_INVALID")]
# The same for an entry `files` under mcp_servers.
SERVERS = [
    ("no object", "npx", "TYPE_MISMATCH", ""),
    ("nothing in it", "{}", "FIELD_MISSING", ""),
    ("both kinds", "{command: a, url: 'https://b'}", "FIELD_MISSING", ""),
    ("a command that is a list", "{command: [npx, server]}", "TYPE_MISMATCH", "/command"),
    ("arguments in one text", "{command: npx, args: -y server}", "TYPE_MISMATCH", "/args"),
    ("an argument that is a number", "{command: npx, args: [-p, 5]}", "TYPE_MISMATCH", "/args/1"),
    ("an argument with NUL", '{command: npx, args: ["a\\0b"]}', "VALUE_INVALID", "/args"),
    ("env as a list", "{command: npx, env: [KEY]}", "TYPE_MISMATCH", "/env"),
    ("a variable that is none", "{command: npx, env: {'A=B': c}}", "VALUE_INVALID", "/env/A=B"),
    ("a value with NUL", '{command: npx, env: {A: "a\\0b"}}', "VALUE_INVALID", "/env/A"),
    ("a value that is a number", "{command: npx, env: {A: 5}}", "TYPE_MISMATCH", "/env/A"),
    ("headers of a program", "{command: npx, headers: {X-Team: core}}", "VALUE_INVALID", "/headers"),
    ("a token of a program", "{command: npx, bearer_token_env: T}", "VALUE_INVALID", "/bearer_token_env"),
    ("arguments of an address", "{url: 'https://b', args: [x]}", "VALUE_INVALID", "/args"),
    ("the sandbox of an address", "{url: 'https://b', sandbox: true}", "VALUE_INVALID", "/sandbox"),
    ("the type of the other kind", "{command: npx, type: http}", "VALUE_INVALID", "/type"),
    ("a type that there is not", "{command: npx, type: pipe}", "VALUE_INVALID", "/type"),
    ("an address of another kind", "{url: 'ftp://b'}", "VALUE_INVALID", "/url"),
    ("no address", "{url: ''}", "VALUE_INVALID", "/url"),
    ("a password in the address", "{url: 'https://u:p@b/mcp'}", "VALUE_INVALID", "/url"),
    ("a key in the file", "{url: 'https://b', headers: {Authorization: Bearer abcdefghijkl}}", "VALUE_INVALID", "/headers/Authorization"),
    ("a header that is not the user's", "{url: 'https://b', headers: {Host: c}}", "VALUE_INVALID", "/headers/Host"),
    ("a header of two lines", '{url: "https://b", headers: {X-A: "a\\r\\nX-B: c"}}', "VALUE_INVALID", "/headers/X-A"),
    ("two authorizations", "{url: 'https://b', headers: {Authorization: 'Bearer ${A}'}, bearer_token_env: B}", "VALUE_INVALID", "/bearer_token_env"),
    ("a variable that is none for the token", "{url: 'https://b', bearer_token_env: 'a b'}", "VALUE_INVALID", "/bearer_token_env"),
    ("network without the sandbox", "{command: npx, network: true}", "VALUE_INVALID", "/network"),
    ("paths without the sandbox", "{command: npx, read_paths: [/srv]}", "VALUE_INVALID", "/read_paths"),
    ("a path that is not from the root", "{command: npx, sandbox: true, read_paths: [srv]}", "VALUE_INVALID", "/read_paths"),
    ("a path that goes up", "{command: npx, sandbox: true, write_paths: [/srv/../etc]}", "VALUE_INVALID", "/write_paths"),
    ("a folder out of the hub", "{command: npx, cwd: ../other}", "NAME_UNSAFE", "/cwd"),
    ("the sandbox in words", "{command: npx, sandbox: sure}", "TYPE_MISMATCH", "/sandbox"),
    ("tools in one text", "{command: npx, tools: read_*}", "TYPE_MISMATCH", "/tools"),
    ("a time that is none", "{command: npx, timeout: soon}", "VALUE_INVALID", "/timeout"),
    ("no time at all", "{command: npx, startup_timeout: 0s}", "VALUE_INVALID", "/startup_timeout"),
    ("a key that there is not", "{comand: npx}", "UNKNOWN_FIELD", "/comand"),
]
SERVER_NAMES = [("with two bars", "a__b", "NAME_UNSAFE"), ("with a dot", "a.b", "NAME_UNSAFE"), ("with a path", "../a", "NAME_UNSAFE"),
                ("too long", "x" * 33, "NAME_UNSAFE")]


def look(box, section, name, entry, code, path, what):
    """What is wrong with this row of a table; nothing: it is as it says."""
    file = box.write("agenttalk.yaml", f"version: 1\n{section}:\n  {name}: {entry}\n")
    result = box.run("validate", file, "--json")
    if result.code != 2 and result.code != 1:
        return f"{section}, {what}: exit code {result.code}"
    errors = result.json[0]["errors"]
    wanted = [error for error in errors if (error["code"], error["path"]) == (code, path)]
    told = json.dumps([(error["code"], error["path"], error["message"], error["hint"]) for error in errors], ensure_ascii=False)
    if not wanted:
        return f"{section}, {what}: wanted {code} at {path}, got {told}"
    # "must be a string, not a number" says what to do.
    if any(not error.get("line") or not (error["hint"] or "must be" in error["message"] or "is not one of" in error["message"] or
                                         "must not be blank" in error["message"]) for error in wanted):
        return f"{section}, {what}: no message, hint or line: {told}"
    return None


def test_a_wrong_tool_or_server_is_told_with_its_place_and_a_way_out(box):
    rows = [("tools", "count", entry, code, "/tools/count" + path, what) for what, entry, code, path in TOOLS]
    rows += [("mcp_servers", "files", entry, code, "/mcp_servers/files" + path, what) for what, entry, code, path in SERVERS]
    for section, names, entry in (("tools", TOOL_NAMES, "{description: d, command: [wc]}"), ("mcp_servers", SERVER_NAMES, "{command: npx}")):
        for what, name, code in names:
            escaped = name.strip("'").replace("~", "~0").replace("/", "~1")
            rows.append((section, name, entry, code, f"/{section}/{escaped}", "a name " + what))
    wrong = [found for row in rows if (found := look(box, *row))]
    assert not wrong, f"{len(wrong)} of {len(rows)}:\n" + "\n".join(wrong)


def test_what_is_wrong_starts_nothing(box):
    """Several mistakes are told at once, and no verb works with such a hub."""
    hub = box.dir / "hub"
    box.write("hub/agenttalk.yaml", "version: 1\ntools: {count: {description: d, command: [tools/../../x]}}\n"
              f"mcp_servers: {{files: {{command: /bin/sh, args: [-c, 'touch {box.dir}/started'], network: true}}}}\n"
              "agents: {ann: {prompt: p, tools: ['mcp__*', count]}}\n")
    for verb in (["tools"], ["tool", "call", "count", "{}"], ["tool", "call", "mcp__files__x", "{}"], ["serve", "--until-idle", "--trust"]):
        refused = box.run(*verb, "--hub", hub)
        assert refused.code in (2, 4) and "/tools/count/command" in refused.err and "and 1 more" in refused.err, str(refused)
    assert not (box.dir / "started").exists()
