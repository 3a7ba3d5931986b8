"""`penstock config app.py`: the settings of an application, and where each comes from."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.cli.arguments.options import (
    add_cluster,
    add_command,
    add_json,
    add_program,
    settings_of,
)
from penstock.cli.arguments.programs import load_application
from penstock.cli.printing import table, to_json
from penstock.settings import StreamsConfig
from penstock.settings.keys import dotted_key
from penstock.settings.secrets import shown
from penstock.settings.sources import VARIABLE_PREFIX, read_environment, read_file

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Show what is set for a program and where it comes from: the command line, a settings file, a
variable of the environment, the program itself. Secrets are hidden. The program is run up to where
it makes its KafkaStreams; nothing is started.
"""
_EXAMPLES = """\
  penstock config app.py                               what is set
  penstock config app.py --all                         the defaults, too
  penstock config app.py --settings prod.toml --json
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "config",
        "show the settings of a program and where they come from",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser)
    parser.add_argument("--all", action="store_true", help="show what has its default, too")
    add_cluster(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the settings."""
    application = load_application(arguments.program, settings_of(arguments), arguments.arguments)
    rows = rows_of(application.config, origins(arguments), os.environ, everything=arguments.all)
    if arguments.json:
        print(to_json(rows))
        return 0
    cells = [(row["setting"], row["value"], row["from"]) for row in rows]
    print("\n".join(table(("setting", "value", "from"), cells)))
    return 0


def origins(arguments: argparse.Namespace) -> dict[str, str]:
    """Return where the settings come from that the command line names."""
    found: dict[str, str] = {}
    if arguments.settings is not None:
        found |= dict.fromkeys(map(dotted_key, read_file(arguments.settings)), arguments.settings)
    found |= dict.fromkeys((dotted_key(key) for key, _ in arguments.set), "--set")
    if arguments.bootstrap_servers is not None:
        found["bootstrap.servers"] = "--bootstrap-servers"
    return found


def rows_of(
    config: StreamsConfig,
    origins: Mapping[str, str],
    environment: Mapping[str, str],
    *,
    everything: bool = False,
) -> list[dict[str, Any]]:
    """Return a row for each setting that is set, or for all, without secrets."""
    given = config.given()
    read = _of_environment(given, environment)
    return [
        {
            "setting": key,
            "value": shown(key, value),
            "from": (origins.get(key) or read.get(key) or "the program")
            if key in given
            else "default",
        }
        for key, value in sorted(config.as_mapping().items())
        if everything or key in given
    ]


def _of_environment(given: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the program has read: those whose values are in force."""
    found: dict[str, str] = {}
    for name, text in read_environment(environment).items():
        for key in (name.replace("_", "."), f"penstock.{name.replace('_', '.')}"):
            if str(given.get(key)) == text.strip():
                found[key] = f"{VARIABLE_PREFIX}{name.upper()}"
    return found
