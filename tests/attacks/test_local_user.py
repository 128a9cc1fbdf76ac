"""Another user of the machine: reads nothing, writes nothing, holds nothing up."""

import json
import os
import pathlib
import signal
import stat
import subprocess

from attack import NOBODY, Attacks, as_nobody, command, drop, hub, other_user
from test_serve import wait_for


def serve(box, umask):
    """A hub made by init and served under that umask, with work done."""
    box.run("init", "hub", "--template", "blank").expect(0)
    hub(box)
    drop(box.dir / "hub", "ann", "cmd_1.json", command("cmd_1"))
    server = subprocess.Popen([str(box.binary), "serve", "--hub", "hub"], cwd=box.dir, stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.umask(umask),
                              env={"PATH": os.environ["PATH"], "HOME": str(box.dir), "LANG": "C.UTF-8", "CANARY_KEY": "canary-in-the-environment"})
    wait_for(lambda: (box.dir / "hub/agents/ann/inbox/.processed/plan_a/cmd_1.json").exists(), "the work")
    return server


def stop(server):
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=30)


def test_files_are_the_owners_whatever_the_umask(box):
    with Attacks(box, "local user") as tried:
        for umask in (0o000, 0o002, 0o022, 0o077):
            made = box.dir / f"u{umask:03o}"
            subprocess.run([str(box.binary), "init", str(made)], check=True, capture_output=True, preexec_fn=lambda: os.umask(umask),
                           env={"PATH": os.environ["PATH"], "HOME": str(box.dir)})
            drop(made, "ann", "cmd_1.json", command("cmd_1"))
            (made / "agents/ann").chmod(0o700)
            answers = box.write("answers.yaml", "- answer: {result: done}\n")
            subprocess.run([str(box.binary), "serve", "--until-idle", "--hub", str(made), "--answers", str(answers)], check=False,
                           capture_output=True, preexec_fn=lambda: os.umask(umask), env={"PATH": os.environ["PATH"], "HOME": str(box.dir)})
            ours = [path for path in made.rglob("*") if "inbox/cmd_1.json" not in str(path)]
            open_files = [str(path) for path in ours if path.is_file() and not path.is_symlink()
                          and stat.S_IMODE(path.stat().st_mode) & 0o077 and path.name != "cmd_1.json"]
            strangers = {made / "agents", made / "agents/ann/inbox"}  # made above by the test
            open_folders = [str(path) for path in [made, *ours] if path.is_dir() and path not in strangers
                            and stat.S_IMODE(path.stat().st_mode) & 0o077]
            tried.repelled(f"files of a hub under umask {umask:03o}", not open_files, str(open_files))
            tried.repelled(f"folders of a hub under umask {umask:03o}", not open_folders, str(open_folders))
            tried.repelled(f"the journal under umask {umask:03o}",
                           all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in (made / ".agenttalk").iterdir()))


TARGETS = (".agenttalk/journal.db", ".agenttalk/journal.db-wal", ".agenttalk/journal.db-shm", ".agenttalk/journal.lock",
           ".agenttalk/fence.key", ".agenttalk/holder.json", ".agenttalk/origin", "agents/ann/logs/activity.jsonl",
           "plans/plan_a/plan_status.json")


def test_another_user_gets_in_nowhere(box):
    missing = other_user()
    with Attacks(box, "local user") as tried:
        if missing:
            for target in TARGETS:
                tried.skipped(f"reading {target}", missing)
            return
        box.dir.chmod(0o755)
        server = serve(box, 0o000)
        folder = box.dir / "hub"
        try:
            folder.chmod(0o755)  # an older hub, made by hand
            for target in TARGETS:
                path = folder / target
                tried.repelled(f"reading {target}", as_nobody("cat", path).returncode != 0 or not path.exists())
                tried.repelled(f"writing {target}", as_nobody("sh", "-c", f"echo x >> {path}").returncode != 0)
            for what, script in (
                    ("listing .agenttalk", f"ls {folder}/.agenttalk"), ("the socket", f"curl -s --max-time 2 --unix-socket {folder}/.agenttalk/agenttalk.sock http://a/v1/plans -X POST"),
                    ("a file into an inbox", f"touch {folder}/agents/ann/inbox/cmd_9.json"),
                    ("an answer for a person", f"mkdir -p {folder}/human/outbox && touch {folder}/human/outbox/answer_q_1.json"),
                    ("a new agent", f"mkdir {folder}/agents/eve"), ("a new file beside agenttalk.yaml", f"touch {folder}/prices.yaml"),
                    ("changing agenttalk.yaml", f"echo x >> {folder}/agenttalk.yaml"),
                    ("removing the journal", f"rm -f {folder}/.agenttalk/journal.db && test ! -e {folder}/.agenttalk/journal.db"),
                    ("locking the journal", f"flock -n {folder}/.agenttalk/journal.lock true"),
                    ("the environment of the hub", f"cat /proc/{server.pid}/environ"), ("the memory of the hub", f"head -c1 /proc/{server.pid}/mem"),
                    ("its descriptors", f"ls /proc/{server.pid}/fd"), ("tracing the hub", f"cat /proc/{server.pid}/syscall")):
                tried.repelled(what, as_nobody("sh", "-c", script).returncode != 0)
        finally:
            stop(server)


def test_the_process_cannot_be_looked_into(box):
    """A process of the same user reads neither the environment nor the memory of the hub, unless it is root."""
    missing = other_user()
    with Attacks(box, "local user") as tried:
        if missing:
            tried.skipped("the environment, by the same user", missing)
            return
        home = box.dir / "nobody"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        box.dir.chmod(0o755)
        binary = home / "agenttalk"
        binary.write_bytes(pathlib.Path(box.binary).read_bytes())
        binary.chmod(0o755)
        script = (f"{binary} init hub >/dev/null || exit 9; echo '- answer: {{result: done}}' >answers.yaml; CANARY=canary-in-the-environment {binary} serve --hub hub --answers answers.yaml 2>said & pid=$!; "
                  "i=0; while [ ! -S hub/.agenttalk/agenttalk.sock ] && [ $i -lt 200 ]; do i=$((i+1)); sleep 0.1; done; "
                  "[ -S hub/.agenttalk/agenttalk.sock ] && kill -0 $pid; echo serves $?; "
                  "cat /proc/$pid/environ >seen 2>/dev/null; echo environ $?; head -c1 /proc/$pid/mem >/dev/null 2>&1; echo mem $?; "
                  "ls /proc/$pid/fd >/dev/null 2>&1; echo fd $?; cat /proc/$pid/maps >/dev/null 2>&1; echo maps $?; kill $pid")
        said = as_nobody("sh", "-c", script, env={"HOME": str(home)}, cwd=str(home))
        results = dict(line.split() for line in said.stdout.splitlines() if len(line.split()) == 2)
        assert results.get("serves") == "0", said.stdout + said.stderr
        for what in ("environ", "mem", "fd", "maps"):
            tried.repelled(f"{what} of the hub, by the same user", results.get(what, "0") != "0", said.stdout + said.stderr)


def test_an_external_agent_of_another_user_works_with_an_acl(box):
    """It reads its inbox and writes its outbox, and nothing else."""
    missing = other_user()
    with Attacks(box, "local user") as tried:
        if missing:
            tried.skipped("an external agent as another user", missing)
            return
        folder = hub(box, agents="  ann: {prompt: You are Ann.}\n  eve: {runtime: external}\n")
        box.dir.chmod(0o755)
        folder.chmod(0o700)
        (folder / "agenttalk.yaml").chmod(0o600)
        inbox, outbox = folder / "agents/eve/inbox", folder / "agents/eve/outbox"
        for path in (inbox, outbox):
            path.mkdir(parents=True)
        if not let_in(folder, NOBODY):
            tried.skipped("an external agent as another user", "this file system has no ACLs")
            return
        server = subprocess.Popen([str(box.binary), "serve", "--hub", "hub"], cwd=box.dir, stderr=subprocess.DEVNULL,
                                  env={"PATH": os.environ["PATH"], "HOME": str(box.dir), "LANG": "C.UTF-8"})
        try:
            drop(folder, "eve", "cmd_e.json", command("cmd_e"))
            given = inbox / "plan_a/cmd_e.json"
            wait_for(given.exists, "the command")
            read = as_nobody("cat", given)
            assert read.returncode == 0, f"the agent reads its command: {read.stderr}"
            answer = json.dumps({"result": "from another user"})
            wrote = as_nobody("sh", "-c", f"umask 0; mkdir -p {outbox}/plan_a && echo '{answer}' > {outbox}/plan_a/.r && mv {outbox}/plan_a/.r {outbox}/plan_a/result_cmd_e.json")
            assert wrote.returncode == 0, wrote.stderr
            wait_for(lambda: "succeeded" in box.run("status", "plan_a", "--json", "--hub", "hub").out, "the result")
            for what, script in (("its gate", f"mkdir -p {folder}/human/outbox && echo '{{}}' > {folder}/human/outbox/answer_q_1.json"),
                                 ("the journal", f"cat {folder}/.agenttalk/journal.db"), ("another's inbox", f"touch {folder}/agents/ann/inbox/cmd_x.json"),
                                 ("its profile", f"touch {folder}/agents/eve/agent_profile.json"), ("the configuration", f"cat {folder}/agenttalk.yaml"),
                                 ("a new agent", f"mkdir {folder}/agents/mallory"), ("the list of agents", f"ls {folder}/agents")):
                tried.repelled(f"an external agent of another user and {what}", as_nobody("sh", "-c", script).returncode != 0)
        finally:
            stop(server)


def let_in(folder, user):
    """As `setfacl -m u:USER:x` on the way and `setfacl -R -m u:USER:rwX -m d:u:USER:rwX` on the boxes; the owner keeps both."""
    import struct
    def acl(users, mask, other=0):
        entries = [(0x01, 7, 0xFFFFFFFF)] + [(0x02, permission, who) for who, permission in sorted(users.items())]
        entries += [(0x04, 0, 0xFFFFFFFF), (0x10, mask, 0xFFFFFFFF), (0x20, other, 0xFFFFFFFF)]
        return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        for path in (folder, folder / "agents", folder / "agents/eve"):
            os.setxattr(path, "system.posix_acl_access", acl({user: 1}, 1))
        for path in (folder / "agents/eve/inbox", folder / "agents/eve/outbox"):
            both = acl({user: 7, os.geteuid(): 7}, 7)
            os.setxattr(path, "system.posix_acl_access", both)
            os.setxattr(path, "system.posix_acl_default", both)
    except OSError:
        return False
    return True
