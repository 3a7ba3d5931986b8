"""Options that several commands share, so that they are called and explained alike."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.settings.keys import dotted_key, dotted_keys
from penstock.settings.sources import read_file

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_command(
    commands: Commands,
    name: str,
    summary: str,
    *,
    description: str,
    examples: str,
    earlier_name: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command with its help: what it does, its options, examples."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if earlier_name is not None:
        # Understood, but not listed: argparse would show its aliases.
        commands._name_parser_map[earlier_name] = parser
    return parser


def add_program(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add a program as `python` takes it: what it finds in sys.argv comes after it."""
    parser.add_argument(
        "program",
        nargs="?" if optional else None,
        help="a Python file, or file:name of a Topology or StreamsBuilder in it",
    )
    parser.add_argument(
        "arguments",
        nargs="*",
        default=[],
        help="what the program finds in sys.argv; options of its own come last, after --",
    )


def add_cluster(parser: argparse.ArgumentParser, *, of_program: bool = True) -> None:
    """Add where the cluster is, and how to connect; a program may say it too."""
    otherwise = "PENSTOCK_BOOTSTRAP_SERVERS, else the local broker"
    default = f"the program's own, else {otherwise}" if of_program else otherwise
    before = "the program and --settings say" if of_program else "--settings says"
    parser.add_argument(
        "--bootstrap-servers", metavar="HOST:PORT", help=f"the Kafka cluster (default: {default})"
    )
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="a .toml or .properties file of settings, such as security.protocol and sasl.*",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=setting,
        metavar="KEY=VALUE",
        help=f"a setting; it goes before what {before}; may be given several times",
    )


def add_json(parser: argparse.ArgumentParser, what: str = "print one JSON document") -> None:
    """Add an option to print JSON for programs instead of text for people."""
    parser.add_argument("--json", action="store_true", help=what)


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of the command line: those of the file, before them the single ones."""
    settings: dict[str, Any] = {}
    if arguments.settings is not None:
        settings.update(dotted_keys(read_file(arguments.settings)))
    settings.update((dotted_key(key), value) for key, value in arguments.set)
    if arguments.bootstrap_servers is not None:
        settings["bootstrap.servers"] = arguments.bootstrap_servers
    return settings


def setting(text: str) -> tuple[str, str]:
    """Read KEY=VALUE."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        msg = f"a setting must look like KEY=VALUE; got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return key, value


def names(text: str) -> list[str]:
    """Read names with commas between them."""
    return [name for part in text.split(",") if (name := part.strip())]


def positive(text: str) -> int:
    """Read a whole number from 1 on."""
    if text.isascii() and text.isdigit() and int(text) >= 1:
        return int(text)
    msg = f"it must be a whole number, at least 1; got {text!r}"
    raise argparse.ArgumentTypeError(msg)
