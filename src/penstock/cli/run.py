"""`penstock run app.py`: run a program, as `python app.py` would, with wishes of one's own."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.application import KafkaStreams
from penstock.cli.describe import topology_among
from penstock.errors import StreamsError
from penstock.terminal.invocation import Invocation, invoked

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_DESCRIPTION = """\
Run a program until Ctrl-C. A program that makes no KafkaStreams itself, but has one Topology or
StreamsBuilder at its top level, is run as the application that its file is named after.
"""
_EXAMPLES = """\
examples:
  penstock run app.py                                    on the local broker, or the program's own
  penstock run app.py --bootstrap-servers kafka:9092     on that cluster
  penstock run app.py --available-now                    process what is there, then end
  penstock run app.py --set num.stream.threads=4         any setting of the application
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "run",
        help="run a program",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", type=Path, help="a Python file")
    parser.add_argument("arguments", nargs="*", help="what the program finds in sys.argv")
    parser.add_argument("--bootstrap-servers", metavar="HOST:PORT", help="the Kafka cluster")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=setting,
        metavar="KEY=VALUE",
        help="a setting, before what the program says; may be given again",
    )
    parser.add_argument(
        "--available-now",
        action="store_true",
        help="end when what the topics hold at the start has been processed",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "--spark-log",
        type=str.upper,
        choices=("ERROR", "WARN", "INFO", "DEBUG"),
        metavar="LEVEL",
        help="show Spark's log from this level on: ERROR, WARN, INFO or DEBUG",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the program."""
    path: Path = arguments.program
    if not path.is_file():
        msg = f"there is no program {str(path)!r}"
        raise StreamsError(msg)
    settings = dict(arguments.set)
    if arguments.bootstrap_servers is not None:
        settings["bootstrap.servers"] = arguments.bootstrap_servers
    if arguments.spark_log is not None:
        settings["penstock.spark.log"] = arguments.spark_log
    wishes = Invocation(settings, arguments.available_now, arguments.quiet)
    # As Python itself does for a program.
    sys.argv = [str(path), *arguments.arguments]
    sys.path.insert(0, str(path.resolve().parent))
    with invoked(wishes):
        names = runpy.run_path(str(path), run_name="__main__")
        if not wishes.answered:
            topology = topology_among(names, str(path))
            KafkaStreams(topology, {"application.id": path.stem.replace("_", "-")}).run()
    return 0


def setting(text: str) -> tuple[str, str]:
    """Read KEY=VALUE."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        msg = f"a setting must look like KEY=VALUE; got {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return key, value
