"""Threads beside an application: they do their part, and a failure of theirs ends it."""

from __future__ import annotations

import threading

import pytest

from penstock import KafkaStreams, State
from penstock.cli.demo.attendants import attended


class Streams(KafkaStreams):
    """An application that only has a state."""

    def __init__(self) -> None:
        self.closed = threading.Event()

    @property
    def state(self) -> State:
        return State.NOT_RUNNING if self.closed.is_set() else State.RUNNING

    def wait_until(self, *states: object, **_: object) -> bool:
        return True

    def close(self, *_: object, **__: object) -> bool:
        self.closed.set()
        return True


def test_all_parts_are_done_before_it_is_over() -> None:
    done: list[str] = []
    with attended(Streams(), [lambda: done.append("wrote"), lambda: done.append("read")]):
        pass
    assert sorted(done) == ["read", "wrote"]


def test_a_part_that_fails_ends_the_application_and_is_told() -> None:
    streams = Streams()

    def fail() -> None:
        msg = "no input"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="no input"), attended(streams, [fail]):
        assert streams.closed.wait(30)


def test_it_ends_after_its_time() -> None:
    streams = Streams()
    with attended(streams, [], seconds=0.0):
        assert streams.closed.wait(30)
