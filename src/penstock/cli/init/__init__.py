"""`penstock init NAME`: a project of one's own, with a program, its test and a Dockerfile.

`project.py` checks the name and writes the files of `templates/`.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.cli.arguments.options import add_command
from penstock.cli.init.project import (
    TEMPLATES,
    check_name,
    contents,
    inside,
    project_around,
    write,
)
from penstock.errors import StreamsError

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Make a project in a new folder: a program with typed records, a test of it, pyproject.toml, a README
with the commands to go on with, a Dockerfile. What is there already is never written over.
"""
_EXAMPLES = """\
  penstock init clicks                            a count, in the folder clicks
  penstock init shop --template enrich            a stream joined with a table
  penstock init alarms --template processor       a program of processors, with a store and a timer
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "init",
        "make a project: a program, its test, a README, a Dockerfile",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("name", help="the project's name, and that of its folder")
    parser.add_argument(
        "--template",
        choices=list(TEMPLATES),
        default=next(iter(TEMPLATES)),
        help="the kind of program (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the project; print what to do next."""
    name: str = arguments.name
    check_name(name)
    texts = contents(name, arguments.template, version("penstock"))
    here = _here()
    write(here / name, texts)
    if (around := project_around(here)) is not None:
        print(f"penstock: {inside(name, around)}", file=sys.stderr)
    print(f"made {name}: {', '.join(sorted(texts))}")
    print(f"  cd {name}")
    print("  pip install -e '.[test]' && pytest      its test: no broker, no Spark")
    print("  penstock run app.py                     on a local broker; README.md says more")
    return 0


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        msg = "this folder has been removed; go to another one"
        raise StreamsError(msg) from error
