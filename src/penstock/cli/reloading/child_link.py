"""The connection between a child and the process that starts it anew: lines over a socket pair.

A child reports the files of its program as they are imported, and asks for the local broker, which
then lives as long as the parent and not only until the next change.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field

from penstock.cli.reloading.program_files import own_modules

_REPORT_SECONDS = 0.3
_BROKER, _END = "broker", "end"
_DONE = b"done\n"
# The first start of a broker fetches it.
_BROKER_SECONDS = 900.0


class ChildEnd:
    """The child's end."""

    def __init__(self, channel: socket.socket, parent: int) -> None:
        self._channel = channel
        self._parent = parent
        self._lock = threading.Lock()
        self._seen: set[str] = set()
        self._pause = threading.Event()

    def begin(self) -> None:
        """Report the files of the program from now on, on a thread; end with the parent."""
        threading.Thread(target=self._report, name="penstock-files", daemon=True).start()

    def report_now(self) -> None:
        """Report the files that have been imported since the last report."""
        # Other threads import modules meanwhile.
        new = {name: each for name, each in list(sys.modules.items()) if name not in self._seen}
        self._seen |= new.keys()
        if files := own_modules(new.values()):
            self._send(sorted(files))

    def end(self) -> None:
        """Report what is left, and that the program ends as programs do, whatever its exit code."""
        self.report_now()
        self._send(_END)

    def open_broker(self) -> None:
        """Have the parent start the local broker, unless one runs; return when it has tried."""
        self._send(_BROKER)
        self._channel.settimeout(_BROKER_SECONDS)
        with suppress(OSError):
            self._channel.recv(len(_DONE))

    def _report(self) -> None:
        while os.getppid() == self._parent:
            self.report_now()
            self._pause.wait(_REPORT_SECONDS)
        os.kill(os.getpid(), signal.SIGINT)

    def _send(self, message: object) -> None:
        with self._lock, suppress(OSError):  # the parent is gone
            self._channel.sendall(f"{json.dumps(message)}\n".encode())


@dataclass(slots=True)
class ParentEnd:
    """The parent's end."""

    channel: socket.socket
    ended: bool = False
    """Whether the program has ended as programs do: not if a function called `os._exit`."""
    _begun: bytes = field(default=b"")

    def read(self) -> tuple[set[str], bool]:
        """Return the files that were reported, and whether the broker is asked for."""
        files: set[str] = set()
        asked = False
        *lines, self._begun = (self._begun + self._take()).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message == _BROKER:
                asked = True
            elif message == _END:
                self.ended = True
            else:
                files.update(message)
        return files, asked

    def answer_broker(self) -> None:
        """Say that the broker was looked after."""
        with suppress(OSError):
            self.channel.sendall(_DONE)

    def _take(self) -> bytes:
        data = b""
        with suppress(OSError):  # nothing there, or the child is gone
            while part := self.channel.recv(65536, socket.MSG_DONTWAIT):
                data += part
        return data
