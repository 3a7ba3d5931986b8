"""`penstock jvm-options`: options with which `spark-submit` starts its JVM as quickly as we do.

`python app.py` and `penstock run` start the JVM with them by themselves. Under `spark-submit` there
is one before there is Python.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from penstock.cli.arguments.options import add_command

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Print options for the JVM of spark-submit with which a live application starts in half the time: an
archive of Spark's classes, which the first JVM writes when it ends, and one compiler instead of
two. For drivers on this machine (local and client mode), and not for programs in which Spark itself
carries the records: those need both.
"""
_EXAMPLES = """\
  spark-submit --driver-java-options "$(penstock jvm-options)" app.py
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "jvm-options",
        "options with which spark-submit starts sooner",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.set_defaults(run=run)


def run(_arguments: argparse.Namespace) -> int:
    """Print the options, on one line."""
    from penstock._engine.spark.class_archive import QUICK_START, archive_option  # noqa: PLC0415

    print(" ".join(filter(None, (archive_option(), QUICK_START))))
    return 0
