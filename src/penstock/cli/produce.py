"""`penstock produce TOPIC`: lines of standard input become records."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from penstock.cli.arguments.clusters import config_without_program, reached
from penstock.cli.arguments.options import add_cluster, add_command, add_json
from penstock.cli.arguments.values import TYPES, encode, encode_text, from_base64
from penstock.errors import SerializationError, StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Write each line of standard input to a topic, as the value of a record, or as key and value with
something between them. A key's record goes to the partition where Kafka Streams expects it.
"""
_EXAMPLES = """\
  penstock produce lines                                  type lines; Ctrl-D ends
  penstock produce lines --create                         the same; makes the topic if it is missing
  penstock produce payments --separator : < file          key:value in each line
  penstock produce counts --separator = --value long      the value as Java's Long
  penstock produce users --separator : --null NULL        `ada:NULL` is a deletion
  penstock produce orders --separator : --value json      `ada:{"cents": 420}`: checked, not quoted
  penstock consume a --once --json | penstock produce b --json     copy a topic
"""
_JSON_HELP = (
    'each line is a JSON object: {"value": ..., "key": ..., "timestamp": ms, '
    '"headers": [[name, text], ...]}; all but the value may be left out; {"base64": ...} is bytes, '
    "as a header, or as a key or value unless its type is json"
)
_SHOWN_BYTES = 80
_FIELDS = {"key", "value", "timestamp", "headers"}
_FROM_CONSUME = {"topic", "partition", "offset"}
"""What `penstock consume --json` says too, and has no meaning here."""


class Writer(Protocol):
    """Where records go."""

    def write(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        timestamp: int | None = None,
        partition: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
    ) -> None: ...
    def flush(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Form:
    """How a line is read."""

    topic: str
    key: str = "string"
    value: str = "string"
    separator: str | None = None
    null: str | None = None
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line that has been read: a record to be."""

    key: bytes | None
    value: bytes | None
    timestamp: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "produce",
        "write lines to a topic",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
        earlier_name="send",
    )
    parser.add_argument("topic", help="the topic to write to")
    parser.add_argument(
        "--separator",
        metavar="TEXT",
        help="what stands between key and value, in each line (default: a line is a value without "
        "a key)",
    )
    for part in ("key", "value"):
        parser.add_argument(
            f"--{part}",
            choices=TYPES,
            default="string",
            metavar="TYPE",
            help=f"what a {part} is (default string): {', '.join(TYPES)}; bytes in hexadecimal",
        )
    parser.add_argument("--null", metavar="TEXT", help="a key or value that is this text is null")
    parser.add_argument(
        "--create",
        action="store_true",
        help="make the topic if it is missing, with as many partitions as the broker's default",
    )
    parser.add_argument("--partition", type=int, metavar="N", help="write all to this partition")
    add_json(parser, _JSON_HELP)
    add_cluster(parser, of_program=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write until the end of the input."""
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.client.topic_io import TopicWriter, partition_count  # noqa: PLC0415

    topic = arguments.topic
    form = Form(
        topic,
        arguments.key,
        arguments.value,
        arguments.separator,
        arguments.null,
        arguments.json,
    )
    with reached(config_without_program(arguments), arguments) as config:
        servers = config.bootstrap_servers
        if arguments.create:
            _create(topic, config)
        count = partition_count(servers, topic, config)
        if arguments.partition is not None and not 0 <= arguments.partition < count:
            msg = f"topic {topic!r} has the partitions 0 to {count - 1}; got {arguments.partition}"
            raise StreamsError(msg)
        writer = TopicWriter(servers, config)
        if sys.stdin.isatty():
            print("each line becomes a record; Ctrl-D ends", file=sys.stderr, flush=True)
        written = produce(_typed_lines(), writer, form, arguments.partition)
    records = "record" if written == 1 else "records"
    print(f"wrote {written:,} {records} to {topic}", file=sys.stderr)
    return 0


def _typed_lines() -> Iterable[str]:
    """Return the lines of standard input: UTF-8, as in Java's console producer. One that is not is
    told where it is read; a strict decoder would lose the lines that it has read ahead.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    return sys.stdin


def _create(topic: str, config: StreamsConfig) -> None:
    from penstock._engine.kafka.local_broker.embedded import make_topics  # noqa: PLC0415

    if make_topics([topic], config):
        print(f"made {topic}", file=sys.stderr, flush=True)


def produce(lines: Iterable[str], writer: Writer, form: Form, partition: int | None = None) -> int:
    """Write lines; return how many.

    Raises:
        StreamsError: a line is no record; those before it have been written.
    """
    count = 0
    try:
        for line in read_lines(lines, form):
            writer.write(
                form.topic,
                line.key,
                line.value,
                timestamp=line.timestamp,
                partition=partition,
                headers=line.headers,
            )
            count += 1
    finally:
        writer.flush()
    return count


def read_lines(lines: Iterable[str], form: Form) -> Iterator[Line]:
    """Yield a record for each line.

    Raises:
        StreamsError: a line is no record.
    """
    for number, text in enumerate(lines, 1):
        try:
            stripped = _checked(text).rstrip("\n")
            yield _from_json(stripped, form) if form.is_json else _from_text(stripped, form)
        except (SerializationError, ValueError) as error:
            msg = f"line {number} is no record: {error}; the lines before it have been written"
            raise StreamsError(msg) from error


def _checked(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # what was not UTF-8 has become surrogates
        msg = f"it is not UTF-8; got {text.encode(errors='surrogateescape')[:_SHOWN_BYTES]!r}"
        raise ValueError(msg) from None
    return text


def _from_text(text: str, form: Form) -> Line:
    if not form.separator:
        return Line(None, _encoded(form.value, text, form))
    key, found, value = text.partition(form.separator)
    if not found:
        # As Java's console producer: a line that was cut must not become a value without a key.
        msg = f"it has no {form.separator!r} between key and value; got {text!r}"
        raise ValueError(msg)
    return Line(_encoded(form.key, key, form), _encoded(form.value, value, form))


def _encoded(name: str, text: str, form: Form) -> bytes | None:
    return None if text == form.null else encode_text(name, form.topic, text)


def _from_json(text: str, form: Form) -> Line:
    record: Any = json.loads(text)
    if not isinstance(record, dict) or "value" not in record:
        msg = 'it must be an object with a "value"'
        raise ValueError(msg)
    if unknown := set(record) - _FIELDS - _FROM_CONSUME:
        msg = f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(sorted(_FIELDS))}"
        raise ValueError(msg)
    timestamp = record.get("timestamp")
    if timestamp is not None and not isinstance(timestamp, int):
        msg = f"the timestamp must be whole milliseconds; got {timestamp!r}"
        raise ValueError(msg)
    return Line(
        encode(form.key, form.topic, record.get("key")),
        encode(form.value, form.topic, record["value"]),
        timestamp,
        tuple(_headers(record.get("headers") or [])),
    )


def _headers(pairs: Any) -> Iterator[tuple[str, bytes | None]]:
    items = pairs.items() if isinstance(pairs, dict) else pairs
    for name, value in items:
        yield _header(name, value)


def _header(name: Any, value: Any) -> tuple[str, bytes | None]:
    if isinstance(name, str):
        if value is None or isinstance(value, str):
            return name, None if value is None else value.encode()
        if (data := from_base64(value)) is not None:
            return name, data
    msg = (
        'a header must be a name and a text, null or {"base64": "..."}; got '
        f"{name!r} and {value!r}"
    )
    raise ValueError(msg)
