"""`penstock demo`: a broker, Spark, a word count and running totals, live, on this machine.

`runner.py` runs it, `program.py` is what runs, `generator.py` generates its input, `panel.py`
shows its results.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

INTRODUCTION = """\
A Kafka broker, Spark and an application of two programs, all on this machine:

  word count       reads lines of text in demo-lines, counts each word in demo-word-counts
  running totals   reads payments in demo-payments, keeps a table of accounts in demo-accounts

Every result is exactly-once. The very first start fetches Kafka (45 MB); Spark takes 10 to 40 s
at each. Ctrl-C ends it, and the next start goes on where this one ended.
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "demo",
        help="show a live word count and running totals",
        description=INTRODUCTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seconds", type=float, metavar="N", help="end after N seconds of work (default: Ctrl-C)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say what will happen, then do it."""
    from penstock.cli.demo.runner import perform  # noqa: PLC0415  # loads the Kafka client

    print(INTRODUCTION, file=sys.stderr, flush=True)
    perform(arguments.seconds)
    return 0
