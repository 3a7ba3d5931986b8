"""`penstock top APP`: the figures of a running application in the terminal."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock._clock import monotonic
from penstock.cli.arguments.options import add_command, add_json
from penstock.cli.printing import to_json
from penstock.cli.query import served_client
from penstock.errors import StreamsError
from penstock.terminal.display import is_terminal
from penstock.terminal.top_screen import screen

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands
    from penstock.terminal.whole_screen import WholeScreen

_DESCRIPTION = """\
Show how a running application does, again each second: workers, tasks, stores, errors. It must
serve HTTP: `penstock run --console`, or the setting `penstock.http.port`. On its machine, address
and token are found in its state directory; elsewhere say --address and --token-file. q quits.
"""
_EXAMPLES = """\
  penstock top shop                                     until q or Ctrl-C
  penstock top shop --json                              once, for programs
  penstock top shop --address https://host:8080 --token-file token.txt
"""
_SECONDS = 1.0
_GLANCE_SECONDS = 0.2
_HOME, _ERASE_LINE, _ERASE_BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_BOLD, _PLAIN = "\x1b[1m", "\x1b[m"


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "top",
        "watch a running application",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("application", metavar="APP", help="its application.id")
    parser.add_argument(
        "--state-dir", type=Path, metavar="DIR", help="the state.dir of the application"
    )
    parser.add_argument("--address", metavar="URL", help="where it serves HTTP")
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help="a file that has its token, with --address"
    )
    add_json(parser, "print all figures once, as one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show the figures; return 0 when the user quits, 1 if the application has ended."""
    client = served_client(arguments)
    if client is None:
        msg = (
            f"no process on this machine serves the application {arguments.application!r} over "
            "HTTP; run it with --console, or say where it is: --state-dir DIR, or --address URL "
            "--token-file FILE"
        )
        raise StreamsError(msg)

    def look() -> Any:
        return client.having("/console/snapshot", "head", "workers", "stores", "tasks", "errors")

    try:
        if arguments.json:
            print(to_json(look()))
            return 0
        if not is_terminal(sys.stdout):
            print("\n".join(screen(look(), 200, 1_000_000)))
            return 0
        return _watch(look)
    finally:
        client.close()


def _watch(look: Callable[[], Any]) -> int:
    """Draw again each second, and when the terminal changes its size, until q. Nothing is drawn
    in the background, where the terminal is the shell's.
    """
    # Not on every system; other commands do without it.
    from penstock.terminal.whole_screen import whole_screen  # noqa: PLC0415

    sections = look()
    with whole_screen() as whole:
        while True:
            whole.is_old = False
            if not whole.take():
                select.select([], [], [], _GLANCE_SECONDS)
                continue
            _draw(sections, whole)
            if _quits(_SECONDS, whole):
                return 0
            try:
                sections = _looked(look)
            except StreamsError as error:
                ended = str(error)
                break
    print(f"penstock: {ended}", file=sys.stderr)
    return 1


def _looked(look: Callable[[], Any]) -> Any:
    """Return what `look` does, at the second time if need be: the server ends idle connections."""
    try:
        return look()
    except StreamsError:
        return look()


def _draw(sections: Any, whole: WholeScreen) -> None:
    width = height = 0
    with suppress(OSError):
        # Its own size now: COLUMNS may be that of its start.
        width, height = os.get_terminal_size(sys.stdout.fileno())
    if not (width and height):
        width, height = shutil.get_terminal_size()
    first, *lines = screen(sections, width, max(1, height - 1))
    shown = [f"{_BOLD}{first}{_PLAIN}", *lines]
    whole.write(_HOME + "".join(f"{line}{_ERASE_LINE}\r\n" for line in shown) + _ERASE_BELOW)


def _quits(seconds: float, whole: WholeScreen) -> bool:
    """Wait; yes if the user presses q or closes the input. Another size ends the wait."""
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0 and not whole.is_old:
        typed = select.select([sys.stdin], [], [], min(left, _GLANCE_SECONDS))[0]
        # Continued in the background, it must not read what is typed for the shell.
        if typed and not whole.is_old:
            return os.read(sys.stdin.fileno(), 100)[:1] in {b"q", b"Q", b"\x04", b""}
    return False
