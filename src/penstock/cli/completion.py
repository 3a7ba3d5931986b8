"""`penstock completion SHELL`: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from penstock.cli.arguments.options import add_command

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Print a script for bash, zsh or fish that completes commands, options and their choices.
"""
_EXAMPLES = """\
  source <(penstock completion bash)         now; or in ~/.bashrc for good
  source <(penstock completion zsh)          now; or in ~/.zshrc, after compinit
  penstock completion fish > ~/.config/fish/completions/penstock.fish
"""

_BASH = """\
_penstock() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="${{COMP_WORDS[1]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$current"))
        return
    fi
    case "$command $previous" in
{choices}
    esac
    if [ -z "$words" ] && [[ "$current" == -* ]]; then
        case "$command" in
{options}
        esac
    fi
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    else
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _penstock penstock
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


class Option(NamedTuple):
    """An option of a command, or a word that stands by itself if it has no name."""

    name: str
    help: str
    choices: tuple[str, ...]


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "completion",
        "print a script for completion in a shell",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "shell", choices=("bash", "zsh", "fish"), help="the shell that is to complete"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from penstock.cli import build_parser  # noqa: PLC0415  # it registers this command

    commands = dict(commands_of(build_parser()))
    if arguments.shell == "fish":
        print(fish(commands), end="")
    else:
        print((_ZSH if arguments.shell == "zsh" else "") + bash(commands), end="")
    return 0


def commands_of(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, tuple[str, list[Option]]]]:
    """Return each command with what it does and its options."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                if name in told:
                    yield name, (told[name], list(_options(command)))


def bash(commands: dict[str, tuple[str, list[Option]]]) -> str:
    """Return the script for bash, which zsh understands, too."""
    options, choices = [], []
    for name, (_, known) in commands.items():
        words = " ".join(option.name for option in known if option.name)
        options.append(f'            {name}) words="{words}" ;;')
        choices += [
            f'        "{name} {option.name or name}") words="{" ".join(option.choices)}" ;;'
            for option in known
            if option.choices
        ]
    return _BASH.format(
        commands=" ".join(commands), options="\n".join(options), choices="\n".join(choices)
    )


def fish(commands: dict[str, tuple[str, list[Option]]]) -> str:
    """Return the script for fish."""
    lines = []
    for name, (told, known) in commands.items():
        lines.append(f"complete -c penstock -n __fish_use_subcommand -a {name} -d {_quoted(told)}")
        for option in known:
            flag = f" -l {option.name.removeprefix('--')}" if option.name else ""
            words = f" -xa '{' '.join(option.choices)}'" if option.choices else ""
            if flag or words:
                lines.append(
                    f"complete -c penstock -n '__fish_seen_subcommand_from {name}'"
                    f"{flag}{words} -d {_quoted(option.help)}"
                )
    return "\n".join(lines) + "\n"


def _options(command: argparse.ArgumentParser) -> Iterator[Option]:
    for action in command._actions:
        long = [name for name in action.option_strings if name.startswith("--")]
        choices = tuple(map(str, action.choices)) if action.choices else ()
        if long or choices:
            yield Option(long[0] if long else "", action.help or "", choices)


def _quoted(text: str) -> str:
    first = text.partition("; ")[0].replace("'", "")
    return f"'{first}'"
