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

from penstock.cli.reloading.program_files import (
    Version,
    files_of_error,
    own_folders,
    own_modules,
    versions_of,
)

_REPORT_SECONDS = 0.3
_BROKER, _END = "broker", "end"
_FILES, _FOLDERS = "files", "folders"
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
        # Other threads import modules meanwhile, also while a list of the items is made: the
        # garbage collector may run then, and py4j's callbacks in it wait for the JVM.
        new = {name: each for name, each in sys.modules.copy().items() if name not in self._seen}
        self._seen |= new.keys()
        self._send_files(own_modules(new.values()), own_folders(new.values()))

    def end(self) -> None:
        """Report what is left, and that the program ends as programs do, whatever its exit code."""
        self.report_now()
        self._send_files(files_of_error(sys.exception()), set())
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

    def _send_files(self, files: set[str], folders: set[str]) -> None:
        """Send files as they are now: by the time the parent reads it they may have changed."""
        if files or folders:
            self._send({_FILES: versions_of(sorted(files)), _FOLDERS: sorted(folders)})

    def _send(self, message: object) -> None:
        with self._lock, suppress(OSError):  # the parent is gone
            self._channel.sendall(f"{json.dumps(message)}\n".encode())


@dataclass(slots=True)
class Report:
    """What a child has reported since the last time."""

    files: dict[str, Version | None] = field(default_factory=dict)
    """Of the program, as they were when the child looked at them."""
    folders: set[str] = field(default_factory=set)
    """Of the program's packages."""
    asks_for_broker: bool = False


@dataclass(slots=True)
class ParentEnd:
    """The parent's end."""

    channel: socket.socket
    ended: bool = False
    """Whether the program has ended as programs do: not if a function called `os._exit`."""
    _begun: bytes = field(default=b"")

    def read(self) -> Report:
        """Return what was reported."""
        report = Report()
        *lines, self._begun = (self._begun + self._take()).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message == _BROKER:
                report.asks_for_broker = True
            elif message == _END:
                self.ended = True
            else:
                for path, version in message[_FILES].items():
                    report.files.setdefault(path, version and tuple(version))
                report.folders.update(message[_FOLDERS])
        return report

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
