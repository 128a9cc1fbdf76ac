"""What may not be read anywhere: keys of the environment, of key files, and texts that look like keys, in every output and file."""

import json

from journey import Journey

ENV_KEY = "env-key-5e1f9c0a7d2b4463"
FILE_KEY = "file-key-0b7c3d9e8f1a2645"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
# Of the table of known forms, whose corpus is in tests/attacks/test_redaction.py. None of them is or was valid.
FORMS = {"aws": "AKIA" + "ABCDEFGHIJKLMNOP", "github": "ghp_" + LETTERS[:36], "jwt": "eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:30] + "." + LETTERS[:43],
         "slack": "xoxb-123456789012-123456789012-" + LETTERS[:24]}


def test_no_secret_is_shown_or_written(box):
    """The model repeats its key, a file's key and texts that look like keys; no verb, record, transcript or log shows one.
    Outputs are what they are: whoever asks for a file gets its bytes."""
    def mind(request):
        return json.dumps({"result": "I was given " + " and ".join([ENV_KEY, FILE_KEY, *FORMS.values()]), "score": 80,
                           "score_explanation": f"because of {ENV_KEY}"})

    agents = {"ann": {"name": "Ann", "prompt": "You are Ann."}, "bob": {"name": "Bob", "prompt": "You are Bob.", "provider": "filed"}}
    with Journey(box, mind, agents) as hub:
        mindful = hub.config["providers"]["mindful"]
        key_file = box.dir / "key.txt"
        key_file.write_text(FILE_KEY + "\n")
        key_file.chmod(0o600)
        hub.config["providers"] = {"mindful": {**mindful, "api_key_env": "LEAKED_KEY"}, "filed": {**mindful, "api_key_file": str(key_file)}}
        hub.write("agenttalk.yaml", json.dumps(hub.config))
        hub.write("plan.yaml", json.dumps({"plan": "leak", "goal": "g", "tasks": [
            {"id": "a", "agent": "ann", "prompt": "Tell " + FORMS["aws"], "outputs": ["a.md"],
             "score": {"criteria": "0-100", "pass": 10}},
            {"id": "b", "agent": "bob", "prompt": "Tell.", "inputs": ["a.md"], "outputs": ["b.md"]}]}))
        env = {"LEAKED_KEY": ENV_KEY}
        hub.agenttalk("trust", env=env).expect(0)
        ran = hub.agenttalk("run", "plan.yaml", "--json", env=env).expect(0)
        shown = {"run": ran.out + ran.err}
        for verb in (("show", "leak"), ("show", "leak", "a"), ("show", "leak", "b"), ("show", "leak", "b", "--prompt"), ("trace", "leak"),
                     ("log", "leak"), ("status", "leak"), ("plans",), ("questions",), ("doctor",), ("providers",)):
            for form in ((), ("--json",)):
                done = hub.agenttalk(*verb, *form, env=env)
                shown[" ".join(verb + form)] = done.out + done.err
        for path in hub.dir.rglob("*"):
            if path.is_file() and (path.name.startswith("record_") or path.suffix == ".jsonl" or "logs" in path.parts):
                shown[str(path.relative_to(hub.dir))] = path.read_text(encoding="utf-8", errors="replace")
        for place in ("show leak a", "show leak b --json", "log leak --json"):
            assert "I was given" in shown[place] or place.startswith("log"), shown[place]
        assert sum("record_" in place for place in shown) == 2 and any(place.endswith(".md") for place in shown), list(shown)
        found = sorted({f"{name} in {place}" for place, text in shown.items()
                        for name, secret in {"the environment's key": ENV_KEY, "the file's key": FILE_KEY, **FORMS}.items() if secret in text})
        assert not found, found
