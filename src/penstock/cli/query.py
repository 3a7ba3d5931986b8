"""`penstock query APP STORE [KEY]`: the state of an application, over HTTP or from changelogs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock._engine.http.address_file import ServedAt, is_token, read_addresses
from penstock._engine.state.files.directory import StateDirectory
from penstock.cli.arguments.options import add_command, add_json, positive
from penstock.cli.arguments.times import moment_ms
from penstock.cli.printing import table
from penstock.cli.stopped_query import add_changelog_options, changelog_client, names_cluster
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock._engine.http.clients.client import HttpClient, StateClient
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Read the stores of an application. One that runs with `penstock.http.port` is asked over HTTP: on
its machine, address and token are found in its state directory; elsewhere say --address and
--token-file. If no process answers, the rows come from its changelogs, as of its last commit; then
say --program, or --key-type and --value-type. Keys are JSON, text as it is, bytes in base64.
Times without a zone are in that of this machine.
"""
_EXAMPLES = """\
  penstock query shop                                 its stores
  penstock query shop counts alice                    the value of a key
  penstock query shop counts --from a --to c --json   a range, a JSON object in each line
  penstock query shop counts --prefix user- --all     all keys that begin so
  penstock query shop views alice --time-from 2026-01-31T12:00
  penstock query shop prices apple --as-of 2026-01-31T12:00
  penstock query shop counts alice --program app.py   of a stopped application
  penstock query shop counts alice --key-type string --value-type long
"""
_LIMIT = 100
# They make one sign of several, and steer nothing.
_JOINERS = "\u200c\u200d"
_PAGE_MAX = 1000
_WORDS = {
    "start": "from",
    "to": "to",
    "prefix": "prefix",
    "reverse": "reverse",
    "time_from": "time_from",
    "time_to": "time_to",
    "as_of": "as_of",
    "uncommitted": "uncommitted",
    "stale_ok": "stale_ok",
    "partition": "partition",
}
"""The options that go to the server, and what they are called there."""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "query",
        "read the stores of an application",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("application", metavar="APP", help="its application.id")
    parser.add_argument("store", metavar="STORE", nargs="?", type=utf8, help="the store to read")
    parser.add_argument(
        "key",
        metavar="KEY",
        nargs="?",
        type=utf8,
        help="the key to look for; one that begins with - comes last, after --",
    )
    _add_range(parser)
    parser.add_argument(
        "--limit", type=positive, default=_LIMIT, metavar="N", help=f"rows (default {_LIMIT})"
    )
    parser.add_argument("--all", action="store_true", help="all rows, without a limit")
    parser.add_argument("--partition", type=int, metavar="N", help="read this partition only")
    parser.add_argument(
        "--uncommitted", action="store_true", help="also what the open transaction has written"
    )
    parser.add_argument(
        "--stale-ok",
        action="store_true",
        help="while a task moves or restores, read the copy that is the least behind, a standby's "
        "or its own, and say how far it is behind",
    )
    parser.add_argument(
        "--state-dir", type=Path, metavar="DIR", help="the state.dir of the application"
    )
    parser.add_argument("--address", metavar="URL", help="where it serves HTTP")
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help="a file that has its token, with --address"
    )
    add_changelog_options(parser)
    add_json(parser, "print a JSON object for each row, one in a line")
    parser.set_defaults(run=run)


def _add_range(parser: argparse.ArgumentParser) -> None:
    """Add which keys and times to read."""
    parser.add_argument(
        "--from", dest="start", type=utf8, metavar="KEY", help="the first key of a range"
    )
    parser.add_argument("--to", type=utf8, metavar="KEY", help="the last key of a range, included")
    parser.add_argument(
        "--prefix", type=utf8, metavar="TEXT", help="what the keys of a range begin with"
    )
    parser.add_argument("--reverse", action="store_true", help="last first")
    for name, what in (
        ("--time-from", "windows from this start on, sessions that end then or later"),
        ("--time-to", "windows and sessions that start up to then"),
        ("--as-of", "of a versioned store, the version of that time"),
    ):
        parser.add_argument(name, type=milliseconds, metavar="TIME", help=what)


def run(arguments: argparse.Namespace) -> int:
    """Print rows; return 1 if there is none."""
    with ExitStack() as stack:
        client = _client(arguments, stack)
        if arguments.store is None:
            rows = iter(client.having("/stores", "stores")["stores"])
        elif arguments.key is None:
            rows = client.range(arguments.store, words_of(arguments))
        else:
            rows = client.key(arguments.store, arguments.key, words_of(arguments))
        limit = None if arguments.all else arguments.limit
        shown = _print(islice(rows, limit), as_json=arguments.json)
        if shown == limit and next(rows, None) is not None:
            print(f"there are more than {limit:,} rows: --limit N or --all", file=sys.stderr)
        if client.offsets_behind is not None:
            print(_behind(client.offsets_behind), file=sys.stderr)
    if not shown:
        print("there is no such row", file=sys.stderr)
    return 0 if shown else 1


def _behind(offsets: int) -> str:
    if offsets == 0:
        return "no copy that answered is behind its changelog"
    return f"the copies that answered are behind their changelogs, by up to {offsets:,} offsets"


def words_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return what the server is told about a read."""
    said = {sent: getattr(arguments, name) for name, sent in _WORDS.items()}
    words = {
        name: "true" if value is True else str(value)
        for name, value in said.items()
        if value is not None and value is not False
    }
    most = _PAGE_MAX if arguments.all else min(arguments.limit + 1, _PAGE_MAX)
    return {**words, "limit": str(most)}


def milliseconds(text: str) -> int:
    """Read a time: milliseconds since 1970, or a date and time."""
    return int(text) if text.isascii() and text.isdigit() else moment_ms(text)


def utf8(word: str) -> str:
    """Read a word that goes to the server: UTF-8."""
    try:
        word.encode()
    except UnicodeEncodeError as error:
        msg = f"it must be UTF-8; got {os.fsencode(word)!r}"
        raise argparse.ArgumentTypeError(msg) from error
    return word


def _print(rows: Iterator[Mapping[str, Any]], *, as_json: bool) -> int:
    if as_json:
        count, is_seen = 0, sys.stdout.isatty()
        for row in rows:
            text = json.dumps(row, ensure_ascii=False)
            print(_escaped(text, in_json=True) if is_seen else text)
            count += 1
        return count
    shown = [_flat(row) for row in rows]
    if shown:
        header = list(shown[0])
        cells = [[row.get(name) for name in header] for row in shown]
        print("\n".join(table(header, cells, commas=False)))
    return len(shown)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for a table: a window as two columns, documents as JSON."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if name == "window":
            cells |= {bound: str(time) for bound, time in value.items()}
        elif name != "value" and isinstance(value, int) and not isinstance(value, bool):
            cells[name] = str(value)  # keys and times are no quantities
        elif isinstance(value, dict | list | bool):
            cells[name] = _escaped(json.dumps(value, ensure_ascii=False), in_json=True)
        else:
            cells[name] = _escaped(value) if isinstance(value, str) else value
    return cells


def _escaped(text: str, *, in_json: bool = False) -> str:
    """Return a text without characters that steer a terminal: keys and values come from others."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in _JOINERS else _escape(one, in_json=in_json)
        for one in text
    )


def _escape(character: str, *, in_json: bool) -> str:
    if in_json:
        return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"
    return character.encode("unicode_escape").decode("ascii")


def _client(arguments: argparse.Namespace, stack: ExitStack) -> StateClient:
    """Return a client of the process that serves the application, else of its changelogs.

    Raises:
        StreamsError: it cannot be found.
    """
    client = None if arguments.changelog else served_client(arguments)
    if client is not None:
        stack.callback(client.close)
        return client
    if not arguments.changelog and not names_cluster(arguments):
        raise StreamsError(_not_found(arguments))
    return stack.enter_context(changelog_client(arguments))


def served_client(arguments: argparse.Namespace) -> HttpClient | None:
    """Return a client of the process that serves the application; None if there is none on this
    machine. Processes whose files were found, and that do not answer, are named on standard error.

    Raises:
        StreamsError: the token cannot be read, or the address that the user gives is none.
    """
    # Other commands do without http and ssl.
    from penstock._engine.http.clients.client import HttpClient  # noqa: PLC0415

    token = None if arguments.token_file is None else _token_in(arguments.token_file)
    if arguments.address is not None:
        return HttpClient(ServedAt(arguments.address, token))
    for place in _places(arguments):
        for served in read_addresses(StateDirectory(place, arguments.application).path):
            try:
                client = HttpClient(served)
                client.connect()
            except StreamsError as error:
                # Killed, and another program has its number.
                print(f"{error}; process {served.process} is passed by", file=sys.stderr)
            else:
                return client
    return None


def _not_found(arguments: argparse.Namespace) -> str:
    return (
        f"no process on this machine serves the application {arguments.application!r} over HTTP "
        f"(looked in {', '.join(map(str, _places(arguments)))}); run it with --set "
        "penstock.http.port=0, or say where it is: --state-dir DIR, or --address URL "
        "--token-file FILE; to read its changelogs, say --bootstrap-servers HOST:PORT"
    )


def _places(arguments: argparse.Namespace) -> list[Path]:
    return [arguments.state_dir] if arguments.state_dir is not None else _usual_places()


def _token_in(file: Path) -> str | None:
    """Return the token in a file: all of it, or that of a file that an application has written,
    None if that one needs none.

    Raises:
        StreamsError: the file cannot be read, or has no token.
    """
    try:
        content = file.read_text("utf-8", "replace")
    except OSError as error:
        msg = f"the token file {file} cannot be read: {error.strerror}"
        raise StreamsError(msg) from error
    try:
        token = json.loads(content)["token"]
    except (ValueError, TypeError, KeyError, RecursionError):
        token = content.strip()
    if token is None or (isinstance(token, str) and is_token(token)):
        return token
    msg = (
        f"the token file {file} must have one token, ASCII without blanks, or be the file that the "
        "application writes when it starts"
    )
    raise StreamsError(msg)


def _usual_places() -> list[Path]:
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.local_broker.broker import default_data_dir  # noqa: PLC0415

    config = StreamsConfig.from_environment({"application.id": "penstock"})
    return [config.state_dir, default_data_dir() / "state"]
