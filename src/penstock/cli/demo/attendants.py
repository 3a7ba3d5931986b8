"""Threads beside a running application: one writes its input, one reads its results."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from penstock._clock import monotonic
from penstock.application import KafkaStreams, State

PACE_SECONDS = 0.1
START_MS = 600_000
AT_WORK = frozenset({State.RUNNING, State.REBALANCING})
ENDED = frozenset({State.NOT_RUNNING, State.ERROR})


@contextmanager
def attended(
    streams: KafkaStreams, parts: Sequence[Callable[[], None]], seconds: float | None = None
) -> Iterator[None]:
    """Run all parts on threads while the body runs the application, or for so many seconds."""
    timed = [] if seconds is None else [lambda: _end_after(streams, seconds)]
    attendants = [_Attendant(streams, part) for part in (*parts, *timed)]
    try:
        yield
    finally:
        for attendant in attendants:
            attendant.join()


def _end_after(streams: KafkaStreams, seconds: float) -> None:
    if streams.wait_until(State.RUNNING, START_MS):
        until, pause = monotonic() + seconds, threading.Event()
        while monotonic() < until and streams.state in AT_WORK:
            pause.wait(PACE_SECONDS)
        streams.close()


class _Attendant:
    """Runs one part on a thread; if that fails, the application ends."""

    def __init__(self, streams: KafkaStreams, part: Callable[[], None]) -> None:
        self._streams = streams
        self._part = part
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._play, name="attendant", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, and raise what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _play(self) -> None:
        try:
            self._part()
        except Exception as error:
            self._error = error
            self._streams.close()
