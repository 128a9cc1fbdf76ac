"""Models that fail, stall, cost and differ: outages are waited out, budgets hold, what is recorded can be replayed.

AGENTTALK_FULL=1 runs the two large ones at their full size (1,000 tasks; 64 commands and 30 seconds)."""

import json
import os
import random
import signal
import threading
import time

from flaky_server import FlakyServer
from journey import Journey, wait_for

FULL = bool(os.environ.get("AGENTTALK_FULL"))
AGENTS = {"ann": {"name": "Ann", "prompt": "You are Ann.", "max_parallel": 64}}


def hub_at(box, server, agents=None, name="hub", provider=None, **config):
    """A hub whose only provider is the server."""
    hub = Journey(box, lambda request: "unused", agents or AGENTS, name=name, **config)
    entry = {"kind": "openai", "base_url": server.url, "model": "flaky", **(provider or {})}
    hub.config.update(provider="p", providers={"p": entry})
    hub.write("agenttalk.yaml", json.dumps(hub.config))
    return hub


def plan_of(count, **fields):
    tasks = [{"id": f"t{i}", "agent": "ann", "prompt": f"Do number {i}.", "outputs": [f"out{i}.md"], **fields} for i in range(count)]
    return json.dumps({"plan": "many", "goal": "many small things", "tasks": tasks})


def run(hub, *arguments, **options):
    hub.write("plan.yaml", options.pop("plan"))
    return hub.agenttalk("run", "--plan", "plan.yaml", "--json", *arguments, **options)


def status(hub):
    return hub.json("status", "plan_many")


def test_rate_limits_and_dropped_connections_fail_nothing(box):
    count = 1000 if FULL else 30
    chance = random.Random(7)

    def fate(number):
        roll = chance.random() if FULL else (number * 7 % 10) / 10
        return (429, {"retry-after-ms": "30"}) if roll < 0.3 else "drop" if roll < 0.5 else "ok"

    with FlakyServer(fate) as server, hub_at(box, server, limits={"max_parallel_calls": 64}) as hub:
        start = time.monotonic()
        ended = run(hub, plan=plan_of(count), timeout=900).expect(0).json
        assert ended["state"] == "completed", ended
        failures = len(server.calls) - server.count("ok")
        assert server.count("ok") == count, f"{server.count('ok')} answers for {count} tasks"
        # Every second call fails, so that the failures require two calls for each task; a call that nobody needed would show.
        assert len(server.calls) <= 1.1 * 2 * count, f"{len(server.calls)} calls for {count} tasks"
        if FULL:
            print(f"\n{count} tasks, {len(server.calls)} calls, {failures} of them failed, {time.monotonic() - start:.1f} s")


def test_a_server_that_goes_away_is_waited_for(box):
    count, away = (64, 30.0) if FULL else (16, 2.0)
    # Slow at first, so that none is answered before all are under way.
    with FlakyServer(seconds=30.0) as server, hub_at(box, server, limits={"max_parallel_calls": 64}) as hub:
        hub.write("plan.yaml", plan_of(count))
        # Quiet: nobody reads its output before it ends, and a full pipe would hold it up.
        running = hub.spawn("run", "--plan", "plan.yaml", "--json", "--quiet")
        wait_for(lambda: len(server.calls) >= count, "all calls are under way")
        server.go_away()
        seen = len(server.calls)
        time.sleep(away)  # the outage itself, not a wait for something
        server.seconds = 0.2
        server.start()
        back = time.monotonic()
        out, err = running.communicate(timeout=240)
        assert running.returncode == 0, out + err
        assert json.loads(out.splitlines()[-1])["state"] == "completed", out
        later = server.calls[seen:]
        assert len(later) == count, f"{len(later)} calls for {count} commands: each once"
        probe = later[0]
        assert all(call["came"] >= probe["went"] for call in later[1:]), "others came before the probe was answered"
        # Paced: the number that are under way at once at most doubles from round to round.
        at_once = [sum(one["came"] <= call["came"] < one["went"] for one in later) for call in later]
        assert at_once[1] <= 2 and max(at_once[1:3]) <= 2, at_once
        if FULL:
            print(f"\n{count} commands, away for {away} s: first call {probe['came'] - back:.1f} s after the return, "
                  f"done {time.monotonic() - back:.1f} s after it, at once: {at_once}")


def test_a_stop_and_a_kill_in_the_middle_of_an_outage_lose_nothing(box):
    for end in (signal.SIGTERM, signal.SIGKILL):
        with FlakyServer(seconds=0.05) as server, hub_at(box, server, name=f"hub{end}") as hub:
            hub.write("plan.yaml", plan_of(3))
            server.go_away()
            running = hub.spawn("run", "--plan", "plan.yaml", "--json")
            wait_for(lambda: (hub.dir / "plans/plan_many/plan_status.json").exists(), "the plan has begun")
            running.send_signal(end)
            running.communicate()
            server.start()
            hub.start()
            wait_for(lambda: status(hub)["state"] == "completed", f"the plan is completed after {end}")
            hub.stop()
            assert server.count("ok") == 3


def test_an_outage_that_outlasts_the_attempt_says_what_was_tried(box):
    with FlakyServer(lambda number: "503") as server, hub_at(box, server) as hub:
        outcome = run(hub, plan=plan_of(1, timeout="3s"), timeout=60)
        assert outcome.code == 1, outcome
        task = status(hub)["tasks"][0]
        message = task["error"]["message"]
        assert "HTTP 503" in message and "tried " in message and "longer timeout" in message, message


def test_a_command_that_anothers_pause_held_back_says_so(box):
    with FlakyServer(lambda number: (429, {"Retry-After": "120"})) as server, hub_at(box, server, limits={"max_parallel_calls": 1}) as hub:
        plan = plan_of(2, timeout="2s")
        outcome = run(hub, plan=plan, timeout=60)
        assert outcome.code == 1, outcome
        messages = [task["error"]["message"] for task in status(hub)["tasks"]]
        assert len(server.calls) == 1
        assert any("pause of 2m" in message for message in messages), messages
        assert all("429" in message for message in messages), messages


def test_timeouts_are_recorded_and_replayed(box):
    stuck = threading.Event()

    def answer(body):
        if "number 1" in json.dumps(body):
            stuck.wait(20)
        return json.dumps({"result": "fine"})

    plan = plan_of(2, timeout="1s")
    with FlakyServer(result=answer) as server:
        with hub_at(box, server) as hub:
            assert run(hub, "--record", "../tape.jsonl", plan=plan, timeout=60).code == 1
            recorded = status(hub)
        stuck.set()
        lines = [json.loads(line) for line in (box.dir / "tape.jsonl").read_text().splitlines()]
        assert sorted("error" in line for line in lines) == [False, True], lines
        with hub_at(box, server, name="again") as hub:
            assert run(hub, "--replay", "../tape.jsonl", plan=plan, timeout=60).code == 1
            replayed = status(hub)
    for before, after in zip(recorded["tasks"], replayed["tasks"]):
        assert (before["state"], before["error"]) == (after["state"], after["error"]), (before, after)
    assert len(server.calls) == 2, "a replay asks nobody"


def test_a_late_scripted_answer_is_too_late_in_the_replay_too(box):
    answers = json.dumps([{"when": {"task": "t1"}, "answer": {"result": "late"}, "delay": "5s"}, {"answer": {"result": "fine"}}])
    plan = plan_of(2, timeout="1s")
    states = []
    for name, how in (("hub", ["--answers", "answers.yaml", "--record", "../tape.jsonl"]), ("again", ["--replay", "../tape.jsonl"])):
        with Journey(box, lambda request: "unused", AGENTS, name=name) as hub:
            hub.write("answers.yaml", answers)
            assert run(hub, *how, plan=plan, timeout=60).code == 1
            states.append([(task["state"], task["error"]) for task in status(hub)["tasks"]])
    assert states[0] == states[1], states


def test_no_call_is_made_after_the_budget_is_used_up(box):
    prices = {"input": 3, "output": 15}  # 1,000 and 100 tokens: 0.0045 USD a call
    plan = plan_of(20, prompt="Count all of these words. " * 110)  # as long as what the server counts
    with FlakyServer(lambda number: "drop" if number % 5 == 2 else "ok") as server:
        with hub_at(box, server, provider={"prices": prices, "max_tokens": 100},
                    limits={"budget_usd": 0.02, "max_parallel_calls": 2}) as hub:
            assert run(hub, plan=plan, timeout=60).code == 3, "a person is asked"
            spent = status(hub)["cost_usd"]
            assert server.count("ok") <= 4 and spent <= 0.02 and abs(spent - 0.0045 * server.count("ok")) < 1e-9, spent
            calls = len(server.calls)
            hub.agenttalk("serve", "--until-idle")
            assert len(server.calls) == calls


def test_calls_that_were_not_sent_when_the_budget_is_used_up_are_not_sent(box):
    """The server counts ten times what was estimated, eight agents want to call at once, and two may: what is in the queue when the
    first answers come stays there, and a person is asked."""
    agents = {f"ann{i}": {"name": "Ann", "prompt": "You are Ann."} for i in range(8)}
    plan = json.dumps({"plan": "many", "goal": "g", "tasks": [
        {"id": f"t{i}", "agent": f"ann{i}", "prompt": f"Say number {i}.", "outputs": [f"o{i}.md"]} for i in range(8)]})
    usage = {"prompt_tokens": 5000, "completion_tokens": 10, "total_tokens": 5010}
    with FlakyServer(seconds=0.3, usage=usage) as server:
        with hub_at(box, server, agents, provider={"max_tokens": 50}, limits={"budget_tokens": 9000, "max_parallel_calls": 2}) as hub:
            assert run(hub, plan=plan, timeout=60).code == 3, "a person is asked"
            assert len(server.calls) == 2, f"{len(server.calls)} calls; the two that were under way use the budget up"
            (plan_id,) = [one["plan_id"] for one in hub.json("plans")]
            asked = [one for one in hub.json("questions") if one["kind"] == "confirm"]
            assert len(asked) == 6 and all("9000" in one["text"] for one in asked), asked
            # Another 9,000: what was learned counts, so that one call of 5,000 fits, and a second does not.
            hub.agenttalk("answer", asked[0]["id"], "--approve").expect(0)
            assert run(hub, plan=plan, timeout=60).code == 3
            assert len(server.calls) == 3, len(server.calls)
            # Each further consent adds as much.
            while hub.json("status", plan_id)["state"] != "completed":
                (first, *_) = [one for one in hub.json("questions") if one["kind"] == "confirm"]
                hub.agenttalk("answer", first["id"], "--approve").expect(0)
                run(hub, plan=plan, timeout=60)
            assert len(server.calls) == 8, len(server.calls)


def test_the_tasks_own_model_is_priced_and_an_unknown_price_is_said(box):
    with FlakyServer() as server:
        plan = json.dumps({"plan": "many", "goal": "g", "tasks": [
            {"id": "known", "agent": "ann", "prompt": "One.", "outputs": ["a.md"]},
            {"id": "unknown", "agent": "ann", "prompt": "Two.", "outputs": ["b.md"], "model": "other-model"}]})
        with hub_at(box, server, provider={"model": "gpt-4o"}) as hub:
            run(hub, plan=plan).expect(0)
            costs = {task["task_id"]: task["cost_usd"] for task in status(hub)["tasks"]}
            assert costs["known"] > 0 and costs["unknown"] is None, costs
            assert status(hub)["cost_usd"] is None
            shown = hub.agenttalk("status", "plan_many").expect(0).out
            assert "? USD" in shown, shown
        calls = len(server.calls)
        with hub_at(box, server, name="held", provider={"model": "gpt-4o"}, limits={"budget_usd": 1}) as hub:
            refused = run(hub, plan=plan).expect(4).json["error"]
            assert "other-model" in refused["message"] and "allow_unpriced" in refused["hint"] and "prices" in refused["hint"], refused
            assert len(server.calls) == calls, "stopped before the first call"
        with hub_at(box, server, name="allowed", provider={"model": "gpt-4o"}, limits={"budget_usd": 1, "allow_unpriced": True}) as hub:
            run(hub, plan=plan).expect(0)


def test_parameters_of_provider_agent_and_task_reach_the_server(box):
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "parameters": {"top_p": 0.5, "seed": 1}}}
    plan = json.dumps({"plan": "many", "goal": "g", "tasks": [
        {"id": "t", "agent": "ann", "prompt": "One.", "outputs": ["a.md"], "parameters": {"seed": 2, "extra_body": {"top_k": 3}}}]})
    with FlakyServer() as server:
        provider = {"base_url": server.url + "?api-version=7", "temperature": 0.1, "top_p": 0.9, "headers": {"X-Team": "${TEAM_NAME}"}}
        with hub_at(box, server, agents, provider=provider) as hub:
            run(hub, plan=plan, env={"TEAM_NAME": "blue team"}).expect(0)
            body, headers = server.calls[0]["body"], {name.lower(): value for name, value in server.calls[0]["headers"].items()}
            assert (body["temperature"], body["top_p"], body["seed"], body["top_k"]) == (0.1, 0.5, 2, 3), body
            assert headers["x-team"] == "blue team", headers
            wrong = plan.replace('"seed"', '"sead"')
            refused = run(hub, plan=wrong, env={"TEAM_NAME": "blue team"})
            assert refused.code == 2 and "sead" in refused.out + refused.err, refused


def test_every_request_that_was_sent_is_shown(box):
    """A call whose first requests were refused or dropped: `show`, `trace`, `log` and the transcript tell of each."""
    fates = {0: "drop", 1: (429, {"Retry-After": "0"})}
    with FlakyServer(lambda number: fates.get(number, "ok")) as server:
        with hub_at(box, server) as hub:
            run(hub, plan=plan_of(1)).expect(0)
            (command,) = hub.json("show", "plan_many", "t0")["commands"]
            (call,) = command["attempts"][0]["calls"]
            assert len(server.calls) == 1 + len(call["failed_tries"]) == 3, (len(server.calls), call["failed_tries"])
            assert [one["http_status"] for one in call["failed_tries"]] == [None, 429], call["failed_tries"]
            told = {verb: hub.agenttalk(verb, "plan_many", *rest).expect(0).out for verb, *rest in (("show", "t0"), ("trace", "t0"), ("log",))}
            assert told["show"].count("a try after") == told["trace"].count("a try after") == 2, told
            assert "after 2 failed tries" in told["log"], told["log"]
            (transcript,) = hub.dir.rglob("plan_many/cmd_t0_001.md")
            assert transcript.read_text().count("A try after") == 2, transcript.read_text()


def test_providers_test_says_what_works(box):
    def answer(body):
        return json.dumps({"word": "ready"})

    with FlakyServer(result=answer, models=("flaky", "other")) as server:
        with hub_at(box, server) as hub:
            report = hub.agenttalk("providers", "--test").expect(0).out
            for words in ("answers in", "streams", "holds answers to a schema", "did not call the tool", "counts tokens"):
                assert words in report, report
            (seen,) = hub.json("providers", "--test")
            assert seen["test"]["answers"] and seen["test"]["streams"] and seen["test"]["schema"], seen
            assert hub.json("providers")[0]["test"] is None
        with hub_at(box, server, name="unlisted", provider={"model": "gone"}) as hub:
            looked = hub.agenttalk("providers", "--json").expect(4).json[0]
            assert not looked["usable"] and "does not list the model gone" in looked["problem"]["message"], looked
        with hub_at(box, server, name="wrong", provider={"base_url": server.url + "/chat/completions"}) as hub:
            refused = hub.agenttalk("providers").expect(2)
            assert "which the program adds itself" in refused.err and f"write {server.url}" in refused.err, refused


def test_without_a_model_the_servers_own_list_is_asked(box):
    with FlakyServer(models=("first-model", "second")) as server:
        hub = Journey(box, lambda request: "unused", AGENTS)
        with hub:
            del hub.config["provider"], hub.config["providers"]
            hub.write("agenttalk.yaml", json.dumps(hub.config))
            run(hub, plan=plan_of(1), env={"OPENAI_BASE_URL": server.url}).expect(0)
            assert server.calls[0]["body"]["model"] == "first-model"
