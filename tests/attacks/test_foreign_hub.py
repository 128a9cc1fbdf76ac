"""A hub from a stranger: nothing of the user's is started, read or sent before the user has said yes."""

import json
import os
import pathlib
import shutil
import subprocess

from attack import NOBODY, Attacks, as_nobody, command, drop, hub, other_user
from model_server import ModelServer
from test_serve import wait_for

SECRET = "wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY"
SERVING = (("serve", "--until-idle"), ("run", "Make something"), ("say", "plan_a", "go on"))


def says(path, body, headers):
    return 200, json.dumps({"result": "fine"})


def exec_hub(box, name="hub", argv=None, more=""):
    """Its program leaves a file behind when it is started."""
    trace = box.dir / "started"
    argv = argv or ["sh", "-c", f"env > {trace}; echo '{{\"result\": \"x\"}}'"]
    box.write(f"{name}/agenttalk.yaml", f"version: 1\nprovider: p\nproviders:\n  p: {{kind: exec, argv: {json.dumps(argv)}{more}}}\n"
              "agents:\n  ann: {prompt: You are Ann.}\n")
    drop(box.dir / name, "ann", "cmd_1.json", command("cmd_1"))
    return trace


def key_hub(box, server, what, name="hub", agents="  ann: {prompt: You are Ann.}\n"):
    box.write(f"{name}/agenttalk.yaml", f"version: 1\nprovider: p\nproviders:\n"
              f"  p: {{kind: openai, base_url: \"{server.url}/v1\", model: test-model, {what}}}\nagents:\n{agents}")
    drop(box.dir / name, "ann", "cmd_1.json", command("cmd_1"))


def test_programs_start_only_in_trusted_hubs(box):
    trace = exec_hub(box)
    # A plan to say something to, made without the program.
    answers = box.write("answers.yaml", "- answer: {result: done}\n")
    box.run("serve", "--until-idle", "--hub", "hub", "--answers", answers).expect(0)
    drop(box.dir / "hub", "ann", "cmd_0.json", command("cmd_0"))
    with Attacks(box, "foreign hub") as tried:
        for verb in SERVING:
            done = box.run(*verb, "--hub", "hub")
            tried.repelled(f"{verb[0]} starts a program", done.code == 4 and not trace.exists(), str(done))
            tried.repelled(f"{verb[0]} does not say what to do", "agenttalk trust" in done.err and "--trust" in done.err, str(done))
            tried.repelled(f"{verb[0]} does not say why", "not trusted yet" in done.err and "sh -c" in done.err, str(done))
        for verb in (("providers",), ("doctor",), ("status", "plan_a"), ("plans",), ("agents",), ("questions",), ("log", "plan_a"),
                     ("validate", "hub/agenttalk.yaml"), ("dead", "list"), ("trust", "--show")):
            box.run(*verb, "--hub", "hub")
            tried.repelled(f"{verb[0]} starts a program", not trace.exists())
        said = box.run("trust", "--show", "--json", "--hub", "hub").expect(4).json
        assert said["needs"][0]["kind"] == "program" and not said["trusted"], said
        box.run("serve", "--until-idle", "--hub", "hub", "--trust").expect(0)
        assert trace.exists(), "--trust lets it"
        trace.unlink()
        drop(box.dir / "hub", "ann", "cmd_2.json", command("cmd_2"))
        tried.repelled("--trust lasts", box.run("serve", "--until-idle", "--hub", "hub").code == 4 and not trace.exists())
        box.run("trust", "--hub", "hub").expect(0)
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert trace.exists()
        trace.unlink()
        box.run("trust", "--forget", "--hub", "hub").expect(0)
        drop(box.dir / "hub", "ann", "cmd_3.json", command("cmd_3"))
        tried.repelled("after --forget", box.run("serve", "--until-idle", "--hub", "hub").code == 4 and not trace.exists())


def test_own_tools_start_only_in_trusted_hubs(box):
    """Neither by a call of one's own, nor because the answers come from a file of one's own."""
    (box.dir / "hub/tools").mkdir(parents=True)
    script = box.write("hub/tools/t.sh", "echo it ran\n")
    box.write("hub/agenttalk.yaml", "version: 1\nprovider: p\nproviders: {p: {kind: scripted, answers: answers.yaml}}\n"
              "tools:\n  t: {description: Does., command: [sh, tools/t.sh], env: [HARMLESS]}\n"
              "agents:\n  ann: {prompt: You are Ann., tools: [t]}\n")
    answers = "- {when: {attempt: 1}, answer: {tool_calls: [{name: t, arguments: {}}]}}\n- answer: {result: done}\n"
    box.write("hub/answers.yaml", answers)
    own = box.write("own.yaml", answers)
    drop(box.dir / "hub", "ann", "cmd_1.json", command("cmd_1"))
    calls = (("tool", "call", "t"), ("serve", "--until-idle"), ("serve", "--until-idle", "--answers", own))
    with Attacks(box, "foreign hub") as tried:
        for call in calls:
            done = box.run(*call, "--hub", "hub", env={"HARMLESS": "x"})
            tried.repelled(f"{call[0]} starts a tool", done.code == 4 and "it ran" not in done.out, str(done))
            tried.repelled(f"{call[0]} does not say what", "sh tools/t.sh $HARMLESS" in done.err, str(done))
        box.run("tools", "--hub", "hub").expect(0)  # only looks
        box.run("trust", "--hub", "hub").expect(0)
        script.write_text("echo something else\n")
        for call in calls:
            tried.repelled(f"a changed script after trust: {call[0]}", box.run(*call, "--hub", "hub").code == 4)
        script.write_text("echo it ran\n")
        config = box.dir / "hub/agenttalk.yaml"
        good = config.read_text()
        for name, text in (("network", good.replace("env:", "network: true, env:")), ("a variable", good.replace("HARMLESS", "TOKEN"))):
            config.write_text(text)
            tried.repelled(f"{name} after trust", box.run("tool", "call", "t", "--hub", "hub").code == 4)


def test_trust_is_bound_to_what_was_shown(box):
    trace = exec_hub(box)
    box.run("trust", "--hub", "hub").expect(0)
    config = box.dir / "hub/agenttalk.yaml"
    good = config.read_text()
    with Attacks(box, "foreign hub") as tried:
        for name, text in (("another argument", good.replace("echo", "echo x; echo")), ("another program", good.replace('"sh"', '"bash"')),
                           ("one more program", good.replace("agents:", "  q: {kind: exec, argv: [id]}\nagents:")),
                           ("a variable for it", good.replace("kind: exec,", "kind: exec, env: [AWS_SECRET_ACCESS_KEY],")),
                           ("a key besides", good.replace("agents:", "  q: {kind: openai, api_key_env: GITHUB_TOKEN}\nagents:"))):
            assert text != good
            config.write_text(text)
            done = box.run("serve", "--until-idle", "--hub", "hub")
            tried.repelled(f"{name} after trust", done.code == 4 and not trace.exists(), str(done))
        config.write_text(good.replace("You are Ann.", "You are somebody else."))
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert trace.exists(), "another prompt asks nothing"
        trace.unlink()
        shutil.copytree(box.dir / "hub", box.dir / "copy")
        drop(box.dir / "copy", "ann", "cmd_2.json", command("cmd_2"))
        tried.repelled("a copy elsewhere is trusted too", box.run("serve", "--until-idle", "--hub", "copy").code == 4 and not trace.exists())
        tried.repelled("a hub writes its own record", not list((box.dir / "hub").rglob("*trusted*")))


def test_a_change_while_served_is_not_trusted_by_itself(box):
    """Whoever can write agenttalk.yaml must not have a running server start what nobody allowed."""
    trace = box.dir / "started"
    config = box.write("hub/agenttalk.yaml", "version: 1\nheartbeat: {interval_seconds: 1}\nprovider: p\nproviders:\n"
                       "  p: {kind: scripted, answers: answers.yaml}\nagents:\n  ann: {name: Ann, prompt: You are Ann.}\n")
    box.write("hub/answers.yaml", "- answer: {result: fine}\n")
    said = box.dir / "said.txt"
    with open(said, "w", encoding="utf-8") as out:
        server = subprocess.Popen([str(box.binary), "serve", "--hub", "hub"], cwd=box.dir, env=box.environment(), stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=subprocess.STDOUT)
    try:
        with Attacks(box, "foreign hub") as tried:
            wait_for(lambda: "serving" in said.read_text(), "the server")
            config.write_text(config.read_text().replace("{kind: scripted, answers: answers.yaml}",
                                                         f"{{kind: exec, argv: [sh, -c, 'touch {trace}; echo 1']}}"))
            wait_for(lambda: "configuration" in said.read_text(), "the refusal")
            drop(box.dir / "hub", "ann", "cmd_1.json", command("cmd_1"))
            wait_for(lambda: list((box.dir / "hub/agents/ann").rglob("record_cmd_1.json")), "the command's end")
            refusal = said.read_text()
            tried.repelled("a program in a configuration that changes while served",
                           "not trusted" in refusal and "agenttalk trust" in refusal and not trace.exists(), refusal)
            box.run("trust", "--hub", "hub").expect(0)
            wait_for(lambda: "has changed" in said.read_text(), "the change, once it is allowed")
            drop(box.dir / "hub", "ann", "cmd_2.json", command("cmd_2"))
            wait_for(trace.exists, "the program that was allowed")
    finally:
        server.kill()
        server.wait()


def test_a_script_of_the_hub_is_part_of_what_is_trusted(box):
    script = box.write("hub/model.sh", "#!/bin/sh\necho '{\"result\": \"x\"}'\n")
    trace = exec_hub(box, argv=["sh", "model.sh"])
    box.run("trust", "--hub", "hub").expect(0)
    script.write_text(f"touch {trace}; echo '{{\"result\": \"x\"}}'\n")
    with Attacks(box, "foreign hub") as tried:
        tried.repelled("the script changes after trust", box.run("serve", "--until-idle", "--hub", "hub").code == 4 and not trace.exists())


def test_keys_are_sent_only_by_trusted_hubs(box):
    env = {"AWS_SECRET_ACCESS_KEY": SECRET}
    key = box.write("private/id_key", SECRET + "\n")
    key.chmod(0o600)
    with ModelServer(says) as server, Attacks(box, "foreign hub") as tried:
        for what in ("api_key_env: AWS_SECRET_ACCESS_KEY", f"api_key_file: {key}"):
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            key_hub(box, server, what)
            name = what.split(":")[0]
            for verb in (*SERVING, ("providers",), ("providers", "--json"), ("doctor",), ("doctor", "--json"), ("agents",), ("plans",),
                         ("status", "plan_a"), ("validate", "hub/agenttalk.yaml")):
                done = box.run(*verb, "--hub", "hub", env=env)
                tried.repelled(f"{name} with {' '.join(verb)}", not server.requests, str(done))
                tried.repelled(f"{name} shown by {' '.join(verb)}", SECRET not in done.out + done.err)
                server.requests.clear()
            done = box.run("providers", "--hub", "hub", env=env)
            tried.repelled(f"{name}: providers goes on", done.code == 4 and "not trusted yet" in done.err, str(done))
        box.run("trust", "--hub", "hub").expect(0)
        box.run("providers", "--hub", "hub", env=env).expect(0)
        assert any(SECRET in str(headers) for _, _, headers in server.requests), "trusted, it is sent"


def test_a_hub_that_needs_nothing_never_asks(box):
    hub(box)
    drop(box.dir / "hub", "ann", "cmd_1.json", command("cmd_1"))
    box.run("serve", "--until-idle", "--hub", "hub").expect(0)
    assert box.run("trust", "--show", "--hub", "hub").expect(0).out.strip().endswith("needs no trust")
    with ModelServer(says) as server:
        box.write("local/agenttalk.yaml", f"version: 1\nprovider: p\nproviders:\n  p: {{kind: ollama, base_url: \"{server.url}\", model: m}}\n"
                  "agents:\n  ann: {prompt: You are Ann.}\n")
        drop(box.dir / "local", "ann", "cmd_1.json", command("cmd_1"))
        box.run("serve", "--until-idle", "--hub", "local").expect(0)
        assert server.asked()
    exec_hub(box, "programs")
    answers = box.write("answers.yaml", "- answer: {result: done}\n")
    box.run("serve", "--until-idle", "--hub", "programs", "--answers", answers).expect(0)


def test_unfinished_work_from_elsewhere_waits_for_a_yes(box):
    hub(box, more="limits: {budget_tokens: 10}\n")
    drop(box.dir / "hub", "ann", "cmd_1.json", command("cmd_1"))
    away = {"XDG_STATE_HOME": str(box.dir / "stranger")}
    box.run("serve", "--until-idle", "--hub", "hub", env=away).expect(3)
    with Attacks(box, "foreign hub") as tried:
        for verb in (("serve", "--until-idle"), ("run", "plan_a")):
            done = box.run(*verb, "--hub", "hub")
            tried.repelled(f"{verb[0]} resumes a stranger's plan", done.code == 4 and "plan_a" in done.err, str(done))
        (box.dir / "hub/.agenttalk/fence.key").rename(box.dir / "fence.key")
        done = box.run("serve", "--until-idle", "--hub", "hub")
        tried.repelled("the mark of its origin is missing", done.code == 4, str(done))
        (box.dir / "fence.key").rename(box.dir / "hub/.agenttalk/fence.key")
        forged = box.dir / "hub/.agenttalk/origin"
        for text in ("", "0" * 64 + "\n", forged.read_text()):
            forged.write_text(text)
            tried.repelled("a forged mark", box.run("serve", "--until-idle", "--hub", "hub").code == 4)
        for verb in (("status", "plan_a"), ("plans",), ("questions",), ("log", "plan_a")):
            box.run(*verb, "--hub", "hub").expect(0)
        box.run("trust", "--hub", "hub").expect(0)
        box.run("serve", "--until-idle", "--hub", "hub").expect(3)
        box.run("serve", "--until-idle", "--hub", "hub", env=away)


def test_what_init_makes_is_trusted_and_kept_out_of_the_hub(box):
    box.run("init", "hub").expect(0)
    assert box.run("trust", "--show", "--hub", "hub").code == 0


def test_programs_see_few_variables(box):
    trace = exec_hub(box)
    secrets = {"AWS_SECRET_ACCESS_KEY": SECRET, "GITHUB_TOKEN": SECRET, "OPENAI_API_KEY": SECRET, "ANTHROPIC_API_KEY": SECRET,
               "SSH_AUTH_SOCK": "/tmp/agent", "DATABASE_URL": SECRET, "NPM_TOKEN": SECRET, "XDG_STATE_HOME": str(box.dir / "state")}
    box.run("serve", "--until-idle", "--hub", "hub", "--trust", env=secrets).expect(0)
    seen = trace.read_text()
    with Attacks(box, "foreign hub") as tried:
        for name in secrets:
            tried.repelled(f"the program sees {name}", f"{name}=" not in seen, seen)
        assert "PATH=" in seen and "HOME=" in seen, seen
        exec_hub(box, "named", more=", env: [GITHUB_TOKEN]")
        box.run("serve", "--until-idle", "--hub", "named", "--trust", env=secrets).expect(0)
        seen = trace.read_text()
        assert f"GITHUB_TOKEN={SECRET}" in seen, "what env: names is seen"
        tried.repelled("more than env: names", "NPM_TOKEN=" not in seen)


def test_children_of_a_program_do_not_survive_it(box):
    alive = box.dir / "alive"
    script = f"setsid sh -c 'sleep 2; touch {alive}' >/dev/null 2>&1 & (setsid sh -c 'sleep 2; touch {alive}' >/dev/null 2>&1 &) ; echo '{{\"result\": \"x\"}}'"
    exec_hub(box, argv=["sh", "-c", script])
    box.run("serve", "--until-idle", "--hub", "hub", "--trust").expect(0)
    import time
    time.sleep(3)
    with Attacks(box, "foreign hub") as tried:
        tried.repelled("setsid children go on", not alive.exists())


def test_hubs_of_other_users_are_refused(box):
    missing = other_user()
    with Attacks(box, "foreign hub") as tried:
        verbs = (("serve", "--until-idle"), ("run", "x"), ("status", "plan_a"), ("plans",), ("agents",), ("providers",), ("doctor",),
                 ("questions",), ("log", "plan_a"), ("trust",), ("repair",), ("send", "hub/agenttalk.yaml", "--to", "ann"))
        if missing:
            for verb in verbs:
                tried.skipped(f"{verb[0]} in another user's hub", missing)
            return
        trace = exec_hub(box)
        os.chown(box.dir / "hub", NOBODY, NOBODY)
        for verb in verbs:
            done = box.run(*verb, "--hub", "hub")
            tried.repelled(f"{verb[0]} in another user's hub", done.code == 4 and "belongs to nobody" in done.err and not trace.exists(),
                           str(done))
        os.chown(box.dir / "hub", 0, 0)
        os.chown(box.dir / "hub/agenttalk.yaml", NOBODY, NOBODY)
        done = box.run("serve", "--until-idle", "--hub", "hub", "--trust")
        tried.repelled("another user's agenttalk.yaml", done.code == 4 and not trace.exists(), str(done))
        os.chown(box.dir / "hub/agenttalk.yaml", 0, 0)
        (box.dir / "hub/.agenttalk").mkdir(exist_ok=True)
        os.chown(box.dir / "hub/.agenttalk", NOBODY, NOBODY)
        done = box.run("serve", "--until-idle", "--hub", "hub", "--trust")
        tried.repelled("another user's .agenttalk", done.code == 4 and not trace.exists(), str(done))


def test_planted_hubs_in_parent_folders_are_not_obeyed(box):
    missing = other_user()
    with Attacks(box, "foreign hub") as tried:
        if missing:
            for name in ("planted in a folder for everybody", "planted and named by a variable", "a stranger's folder on the way"):
                tried.skipped(name, missing)
            return
        public = box.dir / "public"
        work = public / "project/sub"
        work.mkdir(parents=True)
        public.chmod(0o1777)
        trace = exec_hub(box, "public")
        os.chown(public / "agenttalk.yaml", NOBODY, NOBODY)
        for verb in (("serve", "--until-idle"), ("run", "x"), ("plans",), ("providers",), ("doctor",)):
            done = box.run(*verb, cwd=work)
            tried.repelled(f"{verb[0]} below a planted hub", done.code == 4 and not trace.exists(), str(done))
        done = box.run("serve", "--until-idle", env={"AGENTTALK_HUB": str(public)})
        tried.repelled("planted and named by a variable", done.code == 4 and not trace.exists(), str(done))
        os.chown(public / "agenttalk.yaml", 0, 0)
        done = box.run("serve", "--until-idle", "--trust", cwd=work)
        tried.repelled("a hub in a folder that everybody writes to", done.code == 4 and "everybody may write" in done.err, str(done))
        public.chmod(0o755)
        os.chown(public / "project", NOBODY, NOBODY)
        done = box.run("plans", cwd=work)
        tried.repelled("a stranger's folder on the way", done.code == 4 and "belongs to nobody" in done.err, str(done))
