"""The fields that C owns: the same as in Python, and safe whatever Python does to them."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from penstock._engine.fast.choice import compiled
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.input.partition_run import process_run
from penstock._engine.runtime.input.record_queue import PlainQueueFields, RecordQueue
from penstock._engine.runtime.position import (
    PlainPositionFields,
    PlainScopeFields,
    Position,
    RawScope,
)
from penstock._engine.state.cache.entries import CacheBudget, Entries
from penstock._engine.state.segments.rows import PlainClockFields, PlainRowFields, of_key

pytestmark = pytest.mark.skipif(compiled is None, reason="nothing is compiled")

PLAIN = [PlainPositionFields, PlainScopeFields, PlainQueueFields, PlainClockFields, PlainRowFields]


def queue() -> Any:
    made: Any = RecordQueue.__new__(RecordQueue)
    made.head, made.raws, made.decoders = (5, "k", "v", (0, 5, b"k", b"v", ())), deque(), None
    made.partition_time, made._admit, made.next_offset = -1, None, 1
    made.process = lambda *record: None
    return made


def fail(_queue: RecordQueue, error: Exception) -> NoReturn:
    raise error


def run(records: Any, position: Any, counters: Any = None) -> int:
    counters = TaskCounters() if counters is None else counters
    return process_run(records, position, counters, fail, 9, 1 << 63, 1e18)


@pytest.mark.parametrize("plain", PLAIN)
def test_a_type_in_c_has_the_fields_of_its_class_in_python(plain: Any) -> None:
    made = getattr(compiled, plain.__name__.removeprefix("Plain"))
    fields = [name for name in vars(made) if not name.startswith("__")]
    assert sorted(fields) == sorted(plain.__slots__)
    assert not hasattr(made(), "__dict__")


@pytest.mark.parametrize("field", ["decoders", "head", "partition_time", "process", "raws"])
def test_a_field_of_a_queue_that_is_gone_is_an_error(field: str) -> None:
    records = queue()
    delattr(records, field)
    with pytest.raises(AttributeError):
        run(records, Position())


def test_a_field_of_a_position_that_is_gone_is_an_error() -> None:
    position = Position()
    del position.stream_time_ms
    with pytest.raises(AttributeError):
        run(queue(), position)
    held = Entries(CacheBudget(1000), position, lambda _: None, None, lambda: None)
    del position.topic
    with pytest.raises(AttributeError):
        held.write(b"k", b"v", 1, ())


def test_a_counter_that_cannot_count_is_an_error() -> None:
    with pytest.raises(AttributeError):
        run(queue(), Position(), SimpleNamespace())
    with pytest.raises(TypeError):
        run(queue(), Position(), SimpleNamespace(processed=None))
    many = SimpleNamespace(processed=1 << 70)
    assert run(queue(), Position(), many) == 1
    assert many.processed == (1 << 70) + 1


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError):
        run(SimpleNamespace(head=None), Position())
    with pytest.raises(TypeError):
        run(queue(), SimpleNamespace(raw=None, stream_time_ms=-1))
    with pytest.raises(TypeError):
        of_key(SimpleNamespace(clock=None, interval=1, recent=None), b"k", 0, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Entries(CacheBudget(1), SimpleNamespace(keeps_bytes=True), len, None, list)  # type: ignore[arg-type]
    text = (str, str.encode)
    with pytest.raises(TypeError):
        compiled.Sender("out", text, text, SimpleNamespace(), print, print)  # type: ignore[arg-type]


def test_a_cycle_through_a_field_is_collected() -> None:
    class Leaf:
        """Something that can be watched."""

    leaf, position, scope = Leaf(), Position(), RawScope()
    alive = weakref.ref(leaf)
    position.raw = (position, scope, leaf)  # type: ignore[assignment]
    scope.sent = scope  # type: ignore[assignment]
    del leaf, position, scope
    gc.collect()
    assert alive() is None
