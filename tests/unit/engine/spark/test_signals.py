"""Signals on their way from the JVM to Python; tests/spark/test_spark_submit.py sends real ones."""

from __future__ import annotations

import signal
import time
from typing import Any

import pytest

from penstock._engine.spark import signals


class FakeSession:
    """Fails if anybody asks for its JVM."""

    @property
    def sparkContext(self) -> Any:
        raise AssertionError("a JVM that Python has started needs no handlers")


def test_a_process_started_by_a_jvm_is_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    assert not signals.is_submitted()
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "4711")
    assert signals.is_submitted()


def test_the_jvm_of_a_process_of_our_own_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    session: Any = FakeSession()
    signals.hand_on_signals(session)


def test_what_the_jvm_hears_this_process_hears() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        signals.HandOn(signal.SIGTERM).handle("SIGTERM")
        time.sleep(0)  # a signal is heard between two steps of the main thread
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
