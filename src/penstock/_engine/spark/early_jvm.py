"""A JVM that starts while the application is prepared, on a thread of its own.

To start it takes longer than to examine the cluster, and neither needs the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_JOIN_SECONDS = 120.0


class EarlyJvm:
    """The gateway that `launch` returns, from a thread."""

    def __init__(self, launch: Callable[[], Any]) -> None:
        self._launch = launch
        self._gateway: Any = None
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._abandoned = self._taken = False
        self._thread = threading.Thread(target=self._run, name="penstock-jvm", daemon=True)
        self._thread.start()

    def take(self) -> Any:
        """Wait for the gateway and return it; raise what kept it from starting."""
        self._thread.join(_JOIN_SECONDS)
        with self._lock:
            self._taken = True
        if self._error is not None:
            raise self._error
        return self._gateway

    def abandon(self) -> None:
        """End the JVM, unless its gateway was taken."""
        with self._lock:
            self._abandoned = not self._taken
            gateway = self._gateway if self._abandoned else None
        _end(gateway)

    def _run(self) -> None:
        try:
            gateway = self._launch()
        except BaseException as error:
            self._error = error
            return
        with self._lock:
            self._gateway = gateway
            abandoned = self._abandoned
        if abandoned:
            _end(gateway)


def _end(gateway: Any) -> None:
    if gateway is not None:
        with suppress(Exception):
            gateway.shutdown()
        # The JVM ends with its input.
        with suppress(Exception):
            gateway.proc.stdin.close()
