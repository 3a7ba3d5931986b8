"""`penstock broker`: a real Kafka broker on this machine, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from penstock._engine.kafka.local_broker.broker import LocalBroker, default_data_dir, erase
from penstock._engine.kafka.local_broker.distribution import KAFKA_VERSION

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_DESCRIPTION = f"""\
Run a real Apache Kafka {KAFKA_VERSION} broker on this machine, without Docker, until Ctrl-C.
It listens on 127.0.0.1 only. Java 17 or later is needed; Kafka itself (45 MB) is
fetched at the first start. A later start continues with the data of the one before.
"""
_EXAMPLES = """\
examples:
  penstock broker                       listen on 127.0.0.1:9092
  penstock broker --port 0              on any free port
  penstock broker --data /tmp/kafka     keep the data there
  penstock broker --fresh               forget all topics and records first
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "broker",
        help="run a Kafka broker on this machine",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--port", type=_port, default=9092, help="where to listen; 0: any free port (default 9092)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="where to keep the data (default: broker in $PENSTOCK_HOME, "
        "or ~/.local/state/penstock/broker)",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="delete the topics and records of earlier runs first"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the broker until Ctrl-C, SIGTERM or its own end."""
    data = arguments.data or default_data_dir()
    if arguments.fresh:
        erase(data)
        _say(f"deleted what earlier runs left in {data}")
    broker = LocalBroker(data, arguments.port or None, progress=_say)
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        _say(f"starting Kafka {KAFKA_VERSION} ...")
        broker.start()
        where = f"{broker.bootstrap_servers} (data in {broker.data_dir})"
        print(f"Kafka {KAFKA_VERSION} ready at {where}", flush=True)
        _say("Ctrl-C stops it")
        broker.wait()
    except KeyboardInterrupt:
        _say("\nstopping ...")
    finally:
        broker.stop()
        signal.signal(signal.SIGTERM, before)
    _say("stopped")
    return 0


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) <= 65535:
        return int(text)
    msg = f"a port must be a number from 0 to 65535; got {text!r}"
    raise argparse.ArgumentTypeError(msg)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
