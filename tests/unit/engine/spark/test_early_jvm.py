"""A JVM that starts meanwhile: taken, abandoned, failed."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from penstock._engine.spark.early_jvm import EarlyJvm


class FakeGateway:
    """Stands for the connection to a JVM, and its process."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.over = threading.Event()
        self.proc = self.stdin = self

    def shutdown(self) -> None:
        self.ended.append("shutdown")

    def close(self) -> None:
        self.ended.append("close")

    def wait(self, _seconds: float) -> None:
        self.ended.append("wait")
        self.over.set()


def test_a_jvm_that_is_taken_stays() -> None:
    gateway = FakeGateway()
    early = EarlyJvm(lambda: gateway)
    assert early.take() is gateway
    early.abandon()
    assert gateway.ended == []


def test_a_jvm_that_is_not_needed_ends_also_if_it_comes_later() -> None:
    gateway, launched = FakeGateway(), threading.Event()

    def launch() -> Any:
        launched.wait(10)
        return gateway

    early = EarlyJvm(launch)
    early.abandon()
    launched.set()
    assert gateway.over.wait(10)
    assert gateway.ended == ["shutdown", "close", "wait"]


def test_what_keeps_it_from_starting_is_raised_where_it_is_needed() -> None:
    def launch() -> Any:
        msg = "no Java"
        raise OSError(msg)

    early = EarlyJvm(launch)
    with pytest.raises(OSError, match="no Java"):
        early.take()
    early.abandon()
