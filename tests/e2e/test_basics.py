"""Help, version, errors, exit codes and completion."""

import re
import shutil
import subprocess

from sandbox import Skip


def verbs(box):
    """The verbs that the program says it has."""
    table = box.run("--help").expect(0).out.split("Verbs:\n")[1].split("\n\n")[0]
    return [re.split(r"\s{2,}", line.strip())[0] for line in table.splitlines()]


def completed_by_bash(script, line):
    """What bash would offer at the end of `line`."""
    words = line.split(" ")
    harness = f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}; _agenttalk; printf "%s\\n" "${{COMPREPLY[@]}}"'
    run = subprocess.run(["bash", "-c", harness, "bash", *words], capture_output=True, text=True, cwd=script.parent)
    assert run.returncode == 0 and not run.stderr, run
    return set(run.stdout.split())


def test_version_is_one_line(box):
    outcome = box.run("--version").expect(0)
    assert re.fullmatch(r"agenttalk \d+\.\d+\.\d+\n", outcome.out), outcome


def test_help_of_every_verb_has_an_example_of_that_verb(box):
    assert len(verbs(box)) > 1
    for verb in verbs(box):
        outcome = box.run(*verb.split(), "--help").expect(0)
        assert outcome.out.startswith(f"agenttalk {verb}"), outcome
        example = outcome.out.split("Example:\n")[1]
        assert f"agenttalk {verb}" in example, outcome


def test_unknown_verb_suggests_a_near_one(box):
    outcome = box.run("intt").expect(2)
    assert "did you mean: init?" in outcome.err and outcome.out == "", outcome


def test_usage_error_is_an_object_for_programs(box):
    for arguments in (["nope"], [], ["init", "--nope"], ["init", "a", "b"]):
        error = box.run(*arguments, "--json").expect(2).json["error"]
        assert error["code"] == "USAGE" and error["message"] and error["hint"], error


def test_named_hub_that_is_none_is_an_environment_error(box):
    outcome = box.run("completion", "bash", "--hub", "nowhere")
    assert outcome.code == 0, "a verb that needs no hub does not look for one"


def test_no_escape_sequences_where_there_is_no_terminal(box):
    for outcome in (box.run("--help"), box.run("nope"), box.run("init", "--help", env={"TERM": "xterm"})):
        assert "\x1b" not in outcome.out + outcome.err, outcome


def test_bash_completes_verbs_options_and_choices(box):
    script = box.write("agenttalk.bash", box.run("completion", "bash").expect(0).out)
    assert {verb.split()[0] for verb in verbs(box)} <= completed_by_bash(script, "agenttalk ")
    assert completed_by_bash(script, "agenttalk ini") == {"init"}
    assert completed_by_bash(script, "agenttalk --hub x ini") == {"init"}
    assert completed_by_bash(script, "agenttalk init --te") == {"--template"}
    assert completed_by_bash(script, "agenttalk init --template ") == {"blank", "consensus", "report", "software"}
    (box.dir / "folder").mkdir()
    assert completed_by_bash(script, "agenttalk init fol") == {"folder"}
    for verb in verbs(box):
        assert "--json" in completed_by_bash(script, f"agenttalk {verb} --"), verb


def test_fish_completes_verbs_options_and_choices(box):
    if not shutil.which("fish"):
        raise Skip("no fish here")
    script = box.write("agenttalk.fish", box.run("completion", "fish").expect(0).out)

    def completed(line):
        run = subprocess.run(["fish", "-N", "-c", f"source {script}; complete -C '{line}'"], capture_output=True,
                             text=True, cwd=box.dir, env={"HOME": str(box.dir), "PATH": "/usr/bin:/bin"})
        assert run.returncode == 0 and not run.stderr, run
        return {offer.split("\t")[0] for offer in run.stdout.splitlines()}

    assert {verb.split()[0] for verb in verbs(box)} <= completed("agenttalk ")
    assert completed("agenttalk ini") == {"init"}
    assert completed("agenttalk init --te") == {"--template"}
    assert completed("agenttalk init --template ") == {"blank", "consensus", "report", "software"}


def test_zsh_accepts_the_script(box):
    if not shutil.which("zsh"):
        raise Skip("no zsh here")
    script = box.write("_agenttalk", box.run("completion", "zsh").expect(0).out)
    load = f"autoload -Uz compinit && compinit -D && source {script} && print $_comps[agenttalk]"
    run = subprocess.run(["zsh", "-f", "-c", load], capture_output=True, text=True, cwd=box.dir)
    assert run.returncode == 0 and run.stdout == "_agenttalk\n" and not run.stderr, run
