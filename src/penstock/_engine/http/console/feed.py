"""Looks at the application each second, and has what was seen ready for all who want it.

Each section is encoded once, however many browsers are open. Without any, only what the timeline
needs is looked at.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable

from penstock._clock import SystemClock, monotonic, new_id
from penstock._engine.http.console.graph import graph_document
from penstock._engine.http.console.snapshot import Watch
from penstock._engine.http.replies import ascii_json
from penstock._engine.http.served import Application

_log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
WATCHED_SECONDS = 5.0
"""How long after a snapshot another one is expected: `penstock top` asks each second."""
STREAMS_MAX = 64

Notify = Callable[[], None]
"""Called by another thread when there is something new; must return at once."""


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
        self._changes: dict[int, bytes] = {}
        """What has changed after each version that a stream has asked about."""
        self._encoded_at = self._asked_at = -math.inf
        self._streams: list[Notify] = []
        self._closing = threading.Event()
        self._wanted = threading.Event()
        self._thread = threading.Thread(target=self._run, name="penstock-console", daemon=True)

    @property
    def closed(self) -> bool:
        """Whether the application has ended."""
        return self._closing.is_set()

    @property
    def stream_count(self) -> int:
        return len(self._streams)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._closing.set()
        self._wanted.set()
        self._notify()
        if self._thread.is_alive():
            self._thread.join(LOOK_SECONDS * 2)

    def enter(self, notify: Notify) -> bool:
        """Add a stream, which is notified of what is new; no if there are too many. The first one
        has the application looked at now, not in a second.
        """
        with self._lock:
            if len(self._streams) >= STREAMS_MAX:
                return False
            self._streams.append(notify)
            if not self._is_fresh():
                self._wanted.set()
            return True

    def leave(self, notify: Notify) -> None:
        """Remove a stream."""
        with self._lock:
            self._streams.remove(notify)

    def snapshot(self) -> bytes:
        """Return all sections as one document, about a second old."""
        self._asked_at = monotonic()
        if not self._is_fresh():
            self._look(unless_fresh=True)
        with self._lock:
            return _joined(self._sections)

    def changed_since(self, version: int) -> tuple[int, bytes] | None:
        """Return the sections that have changed after a version, and the version now; None if none
        has, or if they were last looked at when another page was open.
        """
        with self._lock:
            if version == self._version or not self._is_fresh():
                return None
            changes = self._changes.get(version)
            if changes is None:
                changes = self._changes[version] = _joined(
                    {
                        name: body
                        for name, body in self._sections.items()
                        if self._versions[name] > version
                    }
                )
            return self._version, changes

    def graph(self) -> bytes:
        """Return the graph of the program."""
        with self._looking:
            tasks = self._application.plan()
            if self._graph[0] is not tasks:
                self._graph = tasks, ascii_json(graph_document(self._application.program(), tasks))
            return self._graph[1]

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wanted.clear()
            try:
                if self._streams or monotonic() - self._asked_at < WATCHED_SECONDS:
                    self._look()
                else:
                    self._glance()
            except Exception:
                _log.exception("the console could not look at the application, and looks again")
            self._wanted.wait(LOOK_SECONDS)

    def _glance(self) -> None:
        with self._looking:
            self._watch.glance(SystemClock().now_ms(), monotonic())

    def _look(self, *, unless_fresh: bool = False) -> None:
        with self._looking:
            if unless_fresh and self._is_fresh():
                return  # another thread has looked meanwhile
            look = self._watch.look(SystemClock().now_ms(), monotonic())
            sections = self._watch.sections(look)
            sections["head"]["run"] = self._run_id
            bodies = {name: ascii_json(section) for name, section in sections.items()}
            with self._lock:
                self._encoded_at = monotonic()
                self._version += 1
                self._changes.clear()
                for name, body in bodies.items():
                    if self._sections.get(name) != body:
                        self._sections[name], self._versions[name] = body, self._version
        self._notify()

    def _notify(self) -> None:
        with self._lock:
            streams = list(self._streams)
        for notify in streams:
            notify()

    def _is_fresh(self) -> bool:
        """Return whether the sections are of now: one look may be late, not two."""
        return monotonic() - self._encoded_at < 2 * LOOK_SECONDS


def _joined(sections: dict[str, bytes]) -> bytes:
    return b"{" + b",".join(b'"%s":%s' % (k.encode(), v) for k, v in sections.items()) + b"}"
