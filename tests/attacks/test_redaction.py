"""Secrets in what models, files and servers say do not reach people's screens and logs."""

import json

from attack import Attacks, command, drop, hub

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
# None of them is or was valid.
CORPUS = {
    "OpenAI": "sk-" + LETTERS[:48], "OpenAI project": "sk-proj-" + LETTERS, "Anthropic": "sk-ant-api03-" + LETTERS, "Stripe live": "sk_live_" + LETTERS[:24],
    "Stripe test": "sk_test_" + LETTERS[:24], "Stripe restricted": "rk_live_" + LETTERS[:24], "Stripe webhook": "whsec_" + LETTERS[:32],
    "GitHub": "ghp_" + LETTERS[:36], "GitHub OAuth": "gho_" + LETTERS[:36], "GitHub user": "ghu_" + LETTERS[:36], "GitHub server": "ghs_" + LETTERS[:36],
    "GitHub refresh": "ghr_" + LETTERS[:36], "GitHub fine-grained": "github_pat_" + LETTERS[:22] + "_" + LETTERS[:59], "GitLab": "glpat-" + LETTERS[:20],
    "GitLab runner": "glrt-" + LETTERS[:20], "GitLab deploy": "gldt-" + LETTERS[:20], "Slack bot": "xoxb-123456789012-123456789012-" + LETTERS[:24],
    "Slack user": "xoxp-123456789012-" + LETTERS[:24], "Slack app": "xapp-1-A0-" + LETTERS[:24], "AWS": "AKIA" + "ABCDEFGHIJKLMNOP", "AWS temporary": "ASIA" + "ABCDEFGHIJKLMNOP",
    "Google": "AIza" + LETTERS[:35], "Google OAuth": "ya29." + LETTERS, "Google client": "GOCSPX-" + LETTERS[:28], "npm": "npm_" + LETTERS[:36], "PyPI": "pypi-" + LETTERS,
    "Hugging Face": "hf_" + LETTERS[:34], "SendGrid": "SG." + LETTERS[:22] + "." + LETTERS[:43], "Shopify": "shpat_" + LETTERS[:32], "Vault": "hvs." + LETTERS[:24],
    "JWT": "eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:30] + "." + LETTERS[:43],
    "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIE" + LETTERS + "\n" + LETTERS + "\n-----END RSA PRIVATE KEY-----",
    "an OpenSSH key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl" + LETTERS + "\n-----END OPENSSH PRIVATE KEY-----",
    "half a private key": "-----BEGIN PRIVATE KEY-----\nMIIE" + LETTERS,
}
# In what it stands, and the part that must not be seen.
PLACES = {
    "a database's address": ("postgres://user:hunter2secret@db/x", "hunter2secret"), "an address with two @": ("https://u:p@ss1word@host/", "p@ss1word"),
    "a query's key": ("https://host/v1?key=0123456789abc", "0123456789abc"), "a query's token": ("https://host/?a=1&access_token=0123456789abc", "0123456789abc"),
    "a bearer": ("Authorization: Bearer abc.def-ghi_jkl", "abc.def-ghi_jkl"), "a header": ("x-api-key: 0123456789abcdef", "0123456789abcdef"),
    "a password": ("password: hunter2hunter2", "hunter2hunter2"), "a variable": ("PGPASSWORD=hunter2hunter2", "hunter2hunter2"),
    "a client's secret": ('"client_secret": "a1b2c3d4e5f6"', "a1b2c3d4e5f6"), "AWS's secret": ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG"),
    "Azure's key": ("AccountKey=abcd1234efgh5678==", "abcd1234efgh5678=="),
}


def test_secrets_in_questions_and_errors_are_not_shown(box):
    cases = [(name, text, text.split("\n")[-1] if name == "half a private key" else (text.split("\n")[1] if "\n" in text else text)) for name, text in CORPUS.items()]
    cases += [(name, text, secret) for name, (text, secret) in PLACES.items()]
    agents = "".join(f"  a{number}: {{prompt: x, permissions: [ask_human], repair_attempts: 0}}\n" for number in range(len(cases)))
    answers = []
    for number, (_, text, _) in enumerate(cases):
        answers.append({"when": {"agent": f"a{number}", "command": "cmd_q*", "attempt": 1},
                        "answer": {"reason": "why", "commands": [{"command_name": "ask_human", "args": {"question": f"I found {text} there. Go on?"}}]}})
    folder = hub(box, agents, json.dumps([*answers, {"answer": {"result": "x"}}]))
    for number in range(len(cases)):
        drop(folder, f"a{number}", "cmd_q.json", command(f"cmd_q{number}"))
    served = box.run("serve", "--until-idle", "--hub", "hub")
    shown = box.run("questions", "--hub", "hub").out + box.run("questions", "--json", "--hub", "hub").out
    assert shown.count("I found") >= len(cases), shown[:2000]
    logs = "".join(path.read_text(errors="replace") for path in (folder / "human").rglob("*.json"))
    with Attacks(box, "redaction") as tried:
        for name, _, secret in cases:
            tried.repelled(f"{name} in a question", secret not in shown + served.err, secret)
            tried.repelled(f"{name} in a question's file", secret not in logs, secret)


def test_addresses_of_providers_are_shown_without_secrets(box):
    with Attacks(box, "redaction") as tried:
        for name, url, secret in (("a password", "http://user:hunter2secret@127.0.0.1:1/v1", "hunter2secret"), ("a password with an @", "http://user:p@ss1@127.0.0.1:1/v1", "p@ss1"),
                                  ("a key in the query", "http://127.0.0.1:1/v1?key=0123456789abc", "0123456789abc")):
            box.write("hub/agenttalk.yaml", f"version: 1\nprovider: p\nproviders:\n  p: {{kind: openai, base_url: \"{url}\", model: m}}\nagents:\n  ann: {{prompt: x}}\n")
            for verb in (("providers",), ("providers", "--json"), ("doctor",)):
                shown = box.run(*verb, "--hub", "hub")
                tried.repelled(f"{name}, {' '.join(verb)}", secret not in shown.out + shown.err, str(shown))
