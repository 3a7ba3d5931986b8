"""`penstock send TOPIC`: lines of standard input become records."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from penstock._engine.kafka.broker import shared_broker

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLES = """\
examples:
  penstock send lines                              type lines; Ctrl-D ends
  penstock send payments --separator : < file      key:value in each line
"""


class Writer(Protocol):
    """Where records go."""

    def write(self, topic: str, key: bytes | None, value: bytes | None) -> None: ...
    def flush(self) -> None: ...


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "send",
        help="write lines to a topic",
        description="Write each line of standard input to a topic, as the value of a record.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("topic", help="the topic to write to")
    parser.add_argument("--separator", metavar="TEXT", help="what stands between key and value")
    parser.add_argument(
        "--bootstrap-servers", metavar="HOST:PORT", help="the cluster (default: the local broker)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write until the end of the input."""
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.topic_io import TopicWriter, partition_count  # noqa: PLC0415

    with shared_broker(arguments.bootstrap_servers) as servers:
        partition_count(servers, arguments.topic)
        writer = TopicWriter(servers)
        if sys.stdin.isatty():
            print("each line becomes a record; Ctrl-D ends", file=sys.stderr, flush=True)
        count = send(sys.stdin, writer, arguments.topic, arguments.separator)
    print(f"wrote {count:,} records to {arguments.topic}", file=sys.stderr)
    return 0


def send(lines: Iterable[str], writer: Writer, topic: str, separator: str | None) -> int:
    """Write lines; give how many."""
    count = 0
    for line in lines:
        text = line.rstrip("\n")
        key, found, value = text.partition(separator) if separator else ("", "", text)
        if found:
            writer.write(topic, key.encode(), value.encode())
        else:
            writer.write(topic, None, text.encode())
        count += 1
    writer.flush()
    return count
