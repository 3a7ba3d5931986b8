"""Under spark-submit the JVM leads: it hears SIGINT and SIGTERM, and would end with all its workers
in the middle of their work. It is made to hand them on to Python, whose application then closes.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

_SUBMITTED = "PYSPARK_GATEWAY_PORT"
_NAMES = {"INT": signal.SIGINT, "TERM": signal.SIGTERM}

_handed_on: list[HandOn] = []
"""The JVM holds them; whoever holds them here keeps them alive."""


def is_submitted() -> bool:
    """Tell whether a JVM has started this process, and not the other way round."""
    return _SUBMITTED in os.environ


def hand_on_signals(session: SparkSession) -> None:
    """Let the JVM hand its signals on to this process. Once is enough."""
    if _handed_on or not is_submitted():
        return
    gateway: Any = session.sparkContext._gateway
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    for name, number in _NAMES.items():
        handler = HandOn(number)
        gateway.jvm.sun.misc.Signal.handle(gateway.jvm.sun.misc.Signal(name), handler)
        _handed_on.append(handler)


class HandOn:
    """What the JVM calls when it hears a signal; Python ends, and then the JVM does."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def handle(self, _signal: object) -> None:
        os.kill(os.getpid(), self._number)

    class Java:
        implements = ("sun.misc.SignalHandler",)
