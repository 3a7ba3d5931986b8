"""The `penstock` command: one file per command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from penstock.cli import backfill, broker, demo, describe, run, send, show
from penstock.errors import StreamsError

_COMMANDS = (run, backfill, demo, describe, broker, send, show)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code: 0 done, 1 failed, 2 called wrongly, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="penstock", description="Kafka Streams for Python, run by Spark."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.register(commands)
    given = parser.parse_args(arguments)
    try:
        return int(given.run(given))
    except StreamsError as error:
        print(f"penstock: {error}", file=sys.stderr)
        for note in getattr(error, "__notes__", ()):
            print(f"\n{note}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
