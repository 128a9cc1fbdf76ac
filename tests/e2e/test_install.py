"""`make install`: the program, its manual page and its completions, each where other programs look for them."""

import pathlib
import subprocess


def test_the_manual_page_and_the_completions_are_installed(box):
    build = pathlib.Path(box.binary).resolve().parent
    subprocess.run(["cmake", "--install", build, "--prefix", box.dir / "usr"], check=True, capture_output=True, timeout=120)
    installed = box.dir / "usr"
    binary = installed / "bin/agenttalk"
    for path, verb, text in [
        ("share/man/man1/agenttalk.1", ["man"], ".TH AGENTTALK 1"),
        ("share/bash-completion/completions/agenttalk", ["completion", "bash"], "_agenttalk"),
        ("share/zsh/site-functions/_agenttalk", ["completion", "zsh"], "#compdef agenttalk"),
        ("share/fish/vendor_completions.d/agenttalk.fish", ["completion", "fish"], "complete -c agenttalk"),
    ]:
        content = (installed / path).read_text(encoding="utf-8")
        assert text in content, content[:500]
        printed = subprocess.run([binary, *verb], check=True, capture_output=True, text=True, timeout=60).stdout
        assert content == printed, f"{path} is not what the program prints"
    said = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True, timeout=60).stdout
    assert said.startswith("agenttalk "), said
