"""Looks at the application each second, and has what was seen ready for all who want it.

Each section is encoded once, however many browsers are open; without any, nothing is encoded.
"""

from __future__ import annotations

import json
import logging
import threading
from typing import Any

from penstock._clock import SystemClock, monotonic, new_id
from penstock._engine.http.console.graph import graph_document
from penstock._engine.http.console.snapshot import Watch
from penstock._engine.http.served import Application

_log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
STREAMS_MAX = 64


class Feed:
    """The figures of one application as JSON; any thread may call it."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._watch = Watch(application)
        self._looking = threading.Lock()
        self._lock = threading.Lock()
        """Held for moments only: streams ask on the thread of the server."""
        self._run_id = new_id()
        self._graph: tuple[object, bytes] = (None, b"")
        self._sections: dict[str, bytes] = {}
        self._versions: dict[str, int] = {}
        self._version = 0
        self._encoded_at = 0.0
        self._streams = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="penstock-console", daemon=True)

    @property
    def closed(self) -> bool:
        """Whether the application has ended."""
        return self._closing.is_set()

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(LOOK_SECONDS * 2)

    def enter(self) -> bool:
        """Take note of a stream; no if there are too many."""
        with self._lock:
            if self._streams >= STREAMS_MAX:
                return False
            self._streams += 1
            return True

    def leave(self) -> None:
        """Take note of the end of a stream."""
        with self._lock:
            self._streams -= 1

    def snapshot(self) -> bytes:
        """Return all sections as one document, at most a second old."""
        if monotonic() - self._encoded_at > LOOK_SECONDS:
            self._look(encode=True)
        with self._lock:
            return _joined(self._sections)

    def changed_since(self, version: int) -> tuple[int, bytes] | None:
        """Return the sections that have changed after a version, and the version now; None if none
        has.
        """
        with self._lock:
            if version == self._version:
                return None
            changed = {
                name: body
                for name, body in self._sections.items()
                if self._versions[name] > version
            }
            return self._version, _joined(changed)

    def graph(self) -> bytes:
        """Return the graph of the program."""
        with self._looking:
            tasks = self._application.plan()
            if self._graph[0] is not tasks:
                self._graph = tasks, encoded(graph_document(self._application.program(), tasks))
            return self._graph[1]

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._look(encode=self._streams > 0)
            except Exception:
                _log.exception("the console could not look at the application, and looks again")
            self._closing.wait(LOOK_SECONDS)

    def _look(self, *, encode: bool) -> None:
        with self._looking:
            now = monotonic()
            look = self._watch.look(SystemClock().now_ms(), now)
            if not encode:
                return
            sections = self._watch.sections(look)
            sections["head"]["run"] = self._run_id
            bodies = {name: encoded(section) for name, section in sections.items()}
            with self._lock:
                self._encoded_at = now
                self._version += 1
                for name, body in bodies.items():
                    if self._sections.get(name) != body:
                        self._sections[name], self._versions[name] = body, self._version


def encoded(document: Any) -> bytes:
    """Return a document as ASCII: what is no Unicode is escaped, too."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode("ascii")


def _joined(sections: dict[str, bytes]) -> bytes:
    return b"{" + b",".join(b'"%s":%s' % (k.encode(), v) for k, v in sections.items()) + b"}"
