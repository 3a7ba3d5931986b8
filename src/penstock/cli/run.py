"""`penstock run app.py`: run a program, as `python app.py` would, with more options."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from penstock.cli.arguments.options import add_cluster, add_command, add_program, settings_of
from penstock.cli.arguments.programs import file_and_name, play
from penstock.cli.reloading.reloader import Reloader
from penstock.terminal.invocation import Invocation

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands
    from penstock.cli.reloading.child_link import ChildEnd

_DESCRIPTION = """\
Run a program until Ctrl-C. A program that makes no KafkaStreams itself, but has one Topology or
StreamsBuilder at its top level, is run as the application that its file is named after.
"""
_EXAMPLES = """\
  penstock run app.py                                    on the local broker, or the program's own
  penstock run app.py --bootstrap-servers kafka:9092     on that cluster
  penstock run app.py --settings production.properties   with the settings of a file
  penstock run app.py --console                          with a page in the browser
  penstock run app.py --available-now                    process what is there, then end
  penstock run app.py --set num.stream.threads=4         any setting of the application
  penstock run app.py --quiet -- --region eu             with options for the program itself
  penstock run --dev app.py                              without Spark, again at each change
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands, "run", "run a program", description=_DESCRIPTION, examples=_EXAMPLES
    )
    add_program(parser)
    add_cluster(parser)
    parser.add_argument(
        "--available-now",
        action="store_true",
        help="end when what the topics hold at the start has been processed",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "--console", action="store_true", help="serve a page that shows it all; print its address"
    )
    parser.add_argument(
        "--timings",
        action="store_true",
        help="after the first commit, show how long each stage of the start took",
    )
    host = parser.add_mutually_exclusive_group()
    host.add_argument(
        "--dev",
        action="store_true",
        help="development: one worker in this process, without Spark; starts again when a file of "
        "the program changes",
    )
    host.add_argument(
        "--spark-log",
        type=str.upper,
        choices=("ERROR", "WARN", "INFO", "DEBUG"),
        metavar="LEVEL",
        help="show Spark's log from this level on: ERROR, WARN, INFO or DEBUG",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the program."""
    settings = settings_of(arguments)
    if arguments.spark_log is not None:
        settings["penstock.spark.log"] = arguments.spark_log
    options = Invocation(settings, arguments.available_now, arguments.quiet)
    options.console = arguments.console
    options.timings = arguments.timings
    if arguments.dev:
        return develop(arguments, options)
    play(arguments.program, arguments.arguments, options)
    return 0


def develop(arguments: argparse.Namespace, options: Invocation) -> int:
    """Run the program without Spark, and again when one of its files changes."""
    path, _ = file_and_name(arguments.program)
    files = [path] if arguments.settings is None else [path, str(arguments.settings)]

    def child(link: ChildEnd) -> int:
        link.begin()
        options.host, options.open_broker = "local", link.open_broker
        try:
            play(arguments.program, arguments.arguments, options)
        finally:
            link.end()
        return 0

    watched = list(map(os.path.realpath, files))
    return Reloader(child, path, watched, is_bounded=arguments.available_now).run()
