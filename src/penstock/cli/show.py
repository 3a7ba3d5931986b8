"""`penstock show TOPIC`: the records of a topic, as they come."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from penstock import serdes
from penstock._engine.kafka.broker import shared_broker
from penstock.serdes import Serde

if TYPE_CHECKING:
    from penstock._engine.kafka.topic_io import Read

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLES = """\
examples:
  penstock show word-counts --value long     keys and values until Ctrl-C
  penstock show word-counts --once           what is there now
"""
_SERDES = ("string", "long", "integer", "double", "json", "bytes")
_WAIT_SECONDS = 0.2


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "show",
        help="print the records of a topic",
        description="Print the committed records of a topic from its beginning, until Ctrl-C.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("topic", help="the topic to read")
    for part in ("key", "value"):
        parser.add_argument(
            f"--{part}",
            choices=_SERDES,
            default="string",
            help=f"what a {part} is (default string)",
        )
    parser.add_argument("--once", action="store_true", help="end when all that is there is shown")
    parser.add_argument(
        "--bootstrap-servers", metavar="HOST:PORT", help="the cluster (default: the local broker)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print records."""
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.topic_io import TopicReader  # noqa: PLC0415

    key_serde = getattr(serdes, arguments.key)()
    value_serde = getattr(serdes, arguments.value)()
    with shared_broker(arguments.bootstrap_servers) as servers:
        reader = TopicReader(servers, [arguments.topic])
        try:
            while not (arguments.once and reader.caught_up):
                for record in reader.read(_WAIT_SECONDS):
                    print(shown(record, key_serde, value_serde), flush=True)
        except KeyboardInterrupt:
            pass
        finally:
            reader.close()
    return 0


def shown(record: Read, key_serde: Serde[Any], value_serde: Serde[Any]) -> str:
    """Give a record as a line: key and value, or the value alone."""
    value = _read(value_serde, record.topic, record.value)
    if record.key is None:
        return value
    return f"{_read(key_serde, record.topic, record.key)}\t{value}"


def _read(serde: Serde[Any], topic: str, data: bytes | None) -> str:
    return "null" if data is None else str(serde.deserialize(topic, data))
