"""Completion in shells."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from penstock.cli import COMMANDS, build_parser, main
from penstock.cli.completion import bash, commands_of, fish


def complete(line: str) -> list[str]:
    """Ask a real bash what it would offer after `line`, whose last word is being typed."""
    words = line.split(" ")
    script = (
        f"{bash(dict(commands_of(build_parser())))}\n"
        f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        '_penstock; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, cwd="/"
    )
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("penstock re", ["reset", "resume"]),
        ("penstock reset --dr", ["--dry-run"]),
        ("penstock describe --format s", ["svg"]),
        ("penstock completion z", ["zsh"]),
    ],
)
def test_bash_offers(line: str, offered: list[str]) -> None:
    assert complete(line) == offered


def test_every_command_is_offered() -> None:
    assert list(dict(commands_of(build_parser()))) == list(COMMANDS)


def test_fish_has_commands_options_and_choices() -> None:
    script = fish(dict(commands_of(build_parser())))
    assert "complete -c penstock -n __fish_use_subcommand -a plan -d 'show tasks, " in script
    assert "'__fish_seen_subcommand_from describe' -l format -xa 'text mermaid svg'" in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert ("bashcompinit" in printed) == (shell == "zsh")
    assert "penstock" in printed
