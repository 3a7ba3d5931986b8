"""The `penstock` command: one file per command, each with a `register` of its own.

`arguments/` reads what they take: shared options, times, values, the application that a program
makes. `printing.py` prints tables and JSON.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, NoReturn

from penstock.errors import StreamsError

__all__ = ["main"]

COMMANDS = (
    "init",
    "run",
    "backfill",
    "describe",
    "plan",
    "config",
    "topics",
    "produce",
    "consume",
    "query",
    "top",
    "reset",
    "resume",
    "capacity",
    "doctor",
    "pack",
    "jvm-options",
    "broker",
    "demo",
    "completion",
)
"""The modules of this package that are commands, in the order in which help lists them."""

EARLIER_NAMES = ("show", "send")
"""What commands were called before; understood, but not listed."""

# The second is what it was called before.
_FOR_THE_PROGRAM = ("--", "--program-arguments")

_NUMBER = re.compile(r"-\d+|-\d*\.\d+")

_EXAMPLES = """\
examples:
  penstock init NAME             make a project: a program, its test, a README
  penstock run app.py            run a program; without a cluster, a local broker serves
  penstock plan app.py           its tasks, stores, internal topics and Spark slots
  penstock doctor app.py         what keeps it from running here, and what to do about it
  penstock COMMAND --help        options and examples of a command

exit codes: 0 done, 1 failed, 2 called wrongly, 130 interrupted
"""

# How alike two options must be: '--fast' is no '--set'.
_ALIKE = 0.75

# What a shell reports of a program that wrote to a pipe whose reader is gone: 128 + SIGPIPE.
_PIPE_CLOSED = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if done, 1 if failed, 2 if called wrongly, 130 if interrupted.

    >>> from penstock.cli import main
    >>> main(["capacity", "table"])
    state of a table, or of an aggregate without windows
    ...
    0
    """
    parser = build_parser()
    words = list(sys.argv[1:] if arguments is None else arguments)
    _check_command(parser, words)
    given = _parsed(parser, words)
    try:
        code = int(given.run(given))
        sys.stdout.flush()
    except StreamsError as error:
        print(f"penstock: {error}", file=sys.stderr)
        for note in getattr(error, "__notes__", ()):
            print(f"\n{note}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # As with `| head`. What Python flushes at its end must not meet the closed pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    return code


def _parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Read the words of the command line; errors show the usage of their command."""
    command = _chosen(parser, words[0])
    if command is None:  # options of the whole
        return parser.parse_args(words)
    given = argparse.Namespace(command=words[0])
    if any(action.dest == "arguments" for action in command._actions):
        return _parsed_with_program(command, words[1:], given)
    given, unknown = _parse_anywhere(command, words[1:], given)
    if unknown:
        inner = _chosen(command, words[1]) or command
        _refuse(inner, unknown)
    return given


def _parsed_with_program(
    command: argparse.ArgumentParser, words: Sequence[str], given: argparse.Namespace
) -> argparse.Namespace:
    """Read the words of a command that takes a program; those behind `--` are for that."""
    end = next((at for at, word in enumerate(words) if word in _FOR_THE_PROGRAM), len(words))
    given, unknown = command.parse_known_args(words[:end], given)
    if unknown:
        _refuse(command, unknown, "; what is meant for the program comes last, after --")
    given.arguments += words[end + 1 :]
    return given


def _parse_anywhere(
    command: argparse.ArgumentParser, words: Sequence[str], given: argparse.Namespace
) -> tuple[argparse.Namespace, list[str]]:
    """Read words with the options anywhere among them; those behind `--` are no options. Return
    also the words that are not understood.
    """
    # `parse_known_intermixed_args` takes no commands in commands, and forgets a `--`.
    if _subcommands(command) is not None:
        return command.parse_known_args(words, given)
    if "--" not in words:
        return command.parse_known_intermixed_args(words, given)
    end = words.index("--")
    given, left = _options_of(command).parse_known_args(words[:end], given)
    plain = [word for word in left if _is_plain(word)]
    given, more = command.parse_known_args(["--", *plain, *words[end + 1 :]], given)
    return given, [*(word for word in left if not _is_plain(word)), *more]


def _options_of(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return a parser of the options of a command alone, which ends as that of the command."""

    class Options(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            command.error(message)

        def print_help(self, file: Any = None) -> None:
            command.print_help(file)

    options = Options(add_help=False)
    for action in command._actions:
        if action.option_strings:
            options._add_action(action)
    return options


def _is_plain(word: str) -> bool:
    """Return whether a word is no option; also numbers are none."""
    return not word.startswith("-") or word == "-" or _NUMBER.fullmatch(word) is not None


def _refuse(command: argparse.ArgumentParser, unknown: Sequence[str], hint: str = "") -> NoReturn:
    """End with words that the command does not take, and the options that look most like them."""
    near = _nearest_options(command, unknown)
    meant = f"; did you mean {', '.join(near)}?" if near else ""
    command.error(f"unrecognized arguments: {' '.join(unknown)}{meant}{hint}")


def _subcommands(
    parser: argparse.ArgumentParser,
) -> argparse._SubParsersAction[argparse.ArgumentParser] | None:
    actions = parser._actions
    return next((one for one in actions if isinstance(one, argparse._SubParsersAction)), None)


def _chosen(parser: argparse.ArgumentParser, word: str) -> argparse.ArgumentParser | None:
    """Return the parser of the command that a word names, None if it names none."""
    commands = _subcommands(parser)
    return None if commands is None else commands.choices.get(word)


def _nearest_options(command: argparse.ArgumentParser, unknown: Sequence[str]) -> list[str]:
    """Return the options of a command that look most like those that it does not have."""
    known = list(command._option_string_actions)
    asked = [word.partition("=")[0] for word in unknown if word.startswith("--")]
    near = [
        difflib.get_close_matches(option, known, n=1, cutoff=_ALIKE)
        for option in asked
        if option not in known
    ]
    return [option for options in near for option in options]


def _check_command(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Refuse an unknown command, and name the nearest one."""
    if not words:
        parser.print_help(sys.stderr)
        sys.exit(2)
    if words[0].startswith("-") or words[0] in {*COMMANDS, *EARLIER_NAMES}:
        return
    near = difflib.get_close_matches(words[0], COMMANDS, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    if words[0] == "help":
        hint = "; write penstock --help, or penstock COMMAND --help;"
    if words[0].endswith(".py"):
        hint = f"; did you mean 'penstock run {words[0]}'?"
    parser.error(f"there is no command {words[0]!r}{hint} commands: {', '.join(COMMANDS)}")


class _Parser(argparse.ArgumentParser):
    """A parser that names the nearest choice; those of the commands are made of this class, too."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        choices = None if action.choices is None else list(map(str, action.choices))
        if choices is None or str(value) in choices:
            super()._check_value(action, value)
            return
        near = difflib.get_close_matches(str(value), choices, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ";"
        msg = f"there is no {str(value)!r}{hint} choose from {', '.join(map(repr, choices))}"
        raise argparse.ArgumentError(action, msg)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="penstock",
        description="Kafka Streams for Python, run by Spark.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penstock {version('penstock')}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True
    )
    for name in COMMANDS:
        import_module(f"penstock.cli.{name.replace('-', '_')}").register(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
