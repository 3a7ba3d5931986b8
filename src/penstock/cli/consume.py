"""`penstock consume TOPIC`: the records of a topic, as they come."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from penstock.cli.arguments.clusters import config_without_program, reached
from penstock.cli.arguments.options import add_cluster, add_command, add_json, positive
from penstock.cli.arguments.times import moment_ms
from penstock.cli.arguments.values import (
    TYPES,
    WINDOWED_TYPES,
    as_line,
    decode,
    decode_for_copy,
    serde_of,
    text_or_base64,
)
from penstock.errors import SerializationError, StreamsError
from penstock.serdes import Serde

if TYPE_CHECKING:
    from penstock._engine.kafka.client.topic_io import Read, TopicReader
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Print the committed records of a topic, from its beginning until Ctrl-C: key, a tab, value. A record
without a key is its value alone, no value is `null`.
"""
_EXAMPLES = """\
  penstock consume word-counts --value long           keys and values until Ctrl-C
  penstock consume word-counts --value long --once    what is there now
  penstock consume orders --from end --max 10         the next ten
  penstock consume orders --from 2026-01-31T12:00     from that time on
  penstock consume orders --details                   with partition, offset, time and headers
  penstock consume views --key time-windowed:string --window-ms 60000
  penstock consume orders --once --json | jq .value   a JSON object in each line
"""
_JSON_HELP = (
    "print a JSON object for each record, one in a line; what is read as text and is not UTF-8, "
    'and a header that is not text, is {"base64": ...}'
)
_WAIT_SECONDS = 0.2

_PARTS: tuple[Literal["key"], Literal["value"]] = ("key", "value")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
"""Bytes that text does not have, in UTF-8; tabs, ends of lines and ESC, for colours, it may."""
_REMEDIES = {
    "key": "--key time-windowed:string --window-ms MS or --key session-windowed:string for keys of "
    "windows, --key long and the like for numbers, --key bytes",
    "value": "--value long, double and the like for numbers, --value bytes",
}


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "consume",
        "print the records of a topic",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
        earlier_name="show",
    )
    parser.add_argument("topic", help="the topic to read")
    parser.add_argument(
        "--key",
        choices=(*TYPES, *WINDOWED_TYPES),
        default="string",
        metavar="TYPE",
        help="what a key is (default string): a type as for --value, or time-windowed:TYPE or "
        "session-windowed:TYPE, as windowed aggregates write them",
    )
    parser.add_argument(
        "--value",
        choices=TYPES,
        default="string",
        metavar="TYPE",
        help=f"what a value is (default string): {', '.join(TYPES)}; bytes in hexadecimal",
    )
    parser.add_argument(
        "--window-ms",
        type=positive,
        metavar="MS",
        help="how long the windows of time-windowed keys are",
    )
    parser.add_argument(
        "--from",
        dest="start",
        type=start,
        default="beginning",
        metavar="WHERE",
        help="beginning (default), end, an offset, or a time such as 2026-01-31T12:00",
    )
    parser.add_argument("--partition", type=int, metavar="N", help="read this partition only")
    parser.add_argument("--max", type=positive, metavar="N", help="end after N records")
    parser.add_argument("--once", action="store_true", help="end when all that is there is shown")
    parser.add_argument(
        "--uncommitted", action="store_true", help="also what transactions may still take back"
    )
    parser.add_argument(
        "--details", action="store_true", help="show partition, offset, time and headers too"
    )
    add_json(parser, _JSON_HELP)
    add_cluster(parser, of_program=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print records."""
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.client.topic_io import Start, TopicReader  # noqa: PLC0415

    if arguments.key.startswith("time-windowed") and arguments.window_ms is None:
        msg = "--key time-windowed:... needs --window-ms: a key in a topic has no end of its window"
        raise StreamsError(msg)
    key_serde = serde_of(arguments.key, arguments.window_ms)
    value_serde = serde_of(arguments.value)
    shown = as_json if arguments.json else detailed if arguments.details else plain
    with reached(config_without_program(arguments), arguments) as config:
        servers = config.bootstrap_servers
        reader = TopicReader(
            servers,
            [arguments.topic],
            config,
            start=Start(**arguments.start),
            only_partition=arguments.partition,
            isolation="read_uncommitted" if arguments.uncommitted else "read_committed",
        )
        try:
            hints = Hints([part for part in _PARTS if getattr(arguments, part) == "string"])
            for record in _records(reader, arguments.max, once=arguments.once):
                for hint in hints.about(record):
                    print(hint, file=sys.stderr, flush=True)
                print(shown(record, key_serde, value_serde), flush=True)
        except KeyboardInterrupt:
            pass
        finally:
            reader.close()
    return 0


def start(text: str) -> dict[str, Any]:
    """Read where to begin: beginning, end, an offset, a time."""
    if text in {"beginning", "end"}:
        return {"at_end": text == "end"}
    if text.isascii() and text.isdigit():
        return {"offset": int(text)}
    try:
        return {"time_ms": moment_ms(text)}
    except argparse.ArgumentTypeError as error:
        msg = f"it must be beginning, end, an offset or a time; got {text!r}"
        raise argparse.ArgumentTypeError(msg) from error


class Hints:
    """Says once for each of `parts` that it is read as text and is none, and which option helps."""

    def __init__(self, parts: Iterable[Literal["key", "value"]]) -> None:
        self._parts = list(parts)

    def about(self, record: Read) -> list[str]:
        """Return the hints that a record gives rise to, mostly none."""
        found = [part for part in self._parts if not _is_text(getattr(record, part))]
        self._parts = [part for part in self._parts if part not in found]
        return [
            f"penstock: a {part} of {record.topic!r} is not UTF-8 or has control characters, so it "
            f"is hardly text; say what it is: {_REMEDIES[part]}"
            for part in found
        ]


def plain(record: Read, key_serde: Serde[Any], value_serde: Serde[Any]) -> str:
    """Return a record as a line: key and value, or the value alone."""
    key, value = _decoded(record, key_serde, value_serde)
    return as_line(value) if record.key is None else f"{as_line(key)}\t{as_line(value)}"


def detailed(record: Read, key_serde: Serde[Any], value_serde: Serde[Any]) -> str:
    """Return a record as a line that also says where it lies, of when it is, and its headers."""
    key, value = _decoded(record, key_serde, value_serde)
    headers = "".join(f" {name}={_readable(data)}" for name, data in record.headers)
    place = f"{record.partition}:{record.offset} {record.timestamp}"
    return f"{place}{headers}\t{as_line(key)}\t{as_line(value)}"


def as_json(record: Read, key_serde: Serde[Any], value_serde: Serde[Any]) -> str:
    """Return a record as a JSON object in one line, which `penstock produce --json` turns into the
    same bytes.
    """
    key, value = _decoded(record, key_serde, value_serde, decode_for_copy)
    document = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "headers": [
            [name, None if data is None else text_or_base64(data)] for name, data in record.headers
        ],
        "key": key,
        "value": value,
    }
    return json.dumps(document, ensure_ascii=False)


def _records(reader: TopicReader, most: int | None, *, once: bool) -> Iterator[Read]:
    count = 0
    while not (once and reader.caught_up):
        for record in reader.read(_WAIT_SECONDS):
            yield record
            count += 1
            if count == most:
                return


def _decoded(
    record: Read,
    key_serde: Serde[Any],
    value_serde: Serde[Any],
    decode: Callable[[Serde[Any], str, bytes | None], Any] = decode,
) -> tuple[Any, Any]:
    part = "key"
    try:
        key = decode(key_serde, record.topic, record.key)
        part = "value"
        return key, decode(value_serde, record.topic, record.value)
    except SerializationError as error:
        msg = (
            f"the {part} at offset {record.offset} of partition {record.partition} of "
            f"{record.topic!r} cannot be read: {error}; say what it is, or --{part} bytes"
        )
        raise StreamsError(msg) from error


def _readable(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def _is_text(data: bytes | None) -> bool:
    if data is None:
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(data) is None
