"""What leaves a task."""

from __future__ import annotations

from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.records import Output
from penstock.handlers import DeadLetterRecord

ONE: Output = ("out", None, b"k", b"1", 5, ())
TWO: Output = ("out", 3, b"k", None, 6, (("h", b"x"),))


def test_outputs_are_drained_once_in_order() -> None:
    collector = Collector(lambda topic: 1)
    collector.send(ONE)
    collector.send(TWO)
    assert collector.drain() == [ONE, TWO]
    assert collector.drain() == []


def test_what_was_drained_does_not_change_any_more() -> None:
    collector = Collector(lambda topic: 1)
    collector.send(ONE)
    drained = collector.drain()
    collector.send(TWO)
    assert drained == [ONE]


def test_dead_letters_are_outputs_of_any_partition() -> None:
    collector = Collector(lambda topic: 1)
    collector.send_dead_letters((DeadLetterRecord("dead", b"k", None, 5, (("h", b"x"),)),))
    assert collector.drain() == [("dead", None, b"k", None, 5, (("h", b"x"),))]
