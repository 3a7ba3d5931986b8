"""What the parts in C are handed is checked: numbers out of range, wrong shapes, others' errors."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from penstock._engine.fast.choice import compiled
from penstock._engine.kafka.client.bulk import open_writer
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.input.partition_run import process_run
from penstock._engine.runtime.input.record_queue import RecordQueue
from penstock._engine.runtime.output.row_sender import RowSender, Target
from penstock._engine.runtime.position import Position
from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.segments.recent_rows import RecentRows
from tests.unit.engine.state.cache.test_entries import FORMS, LARGE

pytestmark = pytest.mark.skipif(compiled is None, reason="nothing is compiled")


def recent_rows(kind: Any = RecentRows) -> Any:
    return kind(lambda first, last: [], 8, {}, -1)


class Counted:
    """A number, or a length, that raises and counts how often it was asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def __index__(self) -> int:
        self.asked += 1
        raise ZeroDivisionError

    __len__ = __float__ = __index__


def queue_of(head: Any) -> Any:
    made: Any = RecordQueue.__new__(RecordQueue)
    made.head, made.raws = head, deque([(1, 6, b"k", b"v", ())])
    made.decoders, made.partition_time, made.process = (bytes.decode, bytes.decode), -1, "".format
    return made


def fail(_queue: RecordQueue, error: Exception) -> NoReturn:
    raise error


def run(queue: Any, *limits: Any) -> Any:
    return process_run(queue, Position(), TaskCounters(), fail, *limits)


def test_nothing_is_asked_while_there_is_an_error() -> None:
    first, second = Counted(), Counted()
    header: Any = (first, second)
    output: Any = ("out", first, b"k", b"v", second, ())
    held = FORMS[-1][1](FORMS[-1][0](1), Position(), print, None, print)
    client = open_writer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    asked: list[Any] = []
    queue = queue_of((1, 2))
    queue.raws = SimpleNamespace(popleft=asked)
    calls: list[Callable[[], object]] = [
        lambda: held.write(b"k", None, 0, (header,)),
        lambda: run(queue_of(None), first, second, second),
        lambda: client.write([output], 0),
    ]
    for call in calls:
        with pytest.raises(ZeroDivisionError):
            call()
    assert (first.asked, second.asked) == (3, 0)
    with pytest.raises(TypeError):
        run(queue, 9, 1, 1.0)


def test_numbers_that_are_too_large_or_negative_are_refused() -> None:
    most = sys.maxsize
    make_budget, make_entries = FORMS[-1]
    held = make_entries(make_budget(LARGE), Position(), print, None, print)
    full = make_budget(LARGE)
    full.used_bytes = most
    over = make_entries(full, Position(), print, None, print)
    times, texts = (0, None, bytes(8), None), (0, None, bytes(8), b"")
    client = open_writer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    headers: Any = ((range(most), range(most)),)
    calls: list[Callable[[], object]] = [
        lambda: make_entries(full, Position(), print, None, print, most),
        lambda: make_entries(full, Position(), print, None, print, -1),
        lambda: held.write(b"k", b"v", 0, headers),
        lambda: over.write(b"k", b"v", 0, ()),
        lambda: over.keep(b"k", b"v"),
        lambda: compiled.column_partitions((most, None, bytes(8), b""), 9, 2),
        lambda: compiled.column_records(1, most, None, times, texts, texts, None),
        lambda: RowSender(print, Target("out", 0, None, -1, 0)),
        lambda: RowSender(print, Target("out", 0, None, 0, -1)),
        lambda: client.write([], -1),
        lambda: client.write([("out", None, b"k", b"v", 0, ())], -1),
    ]
    for call in calls:
        with pytest.raises((ValueError, OverflowError)):
            call()
    assert (len(held), len(over), over.used_bytes, full.used_bytes) == (0, 0, 0, most)


def test_a_key_that_is_shorter_than_what_is_around_it_is_empty() -> None:
    sent: list[Any] = []
    for around in [(9, 0), (0, 9), (5, 5), (sys.maxsize, sys.maxsize)]:
        RowSender(sent.append, Target("out", 0, None, *around)).log(b"row key", None, 5, ())
    assert [output[2] for output in sent] == [b""] * 4


def test_a_raw_record_without_headers_is_refused() -> None:
    for raw in [(0, 5, b"k", b"v"), None, [0, 5, b"k", b"v", ()]]:
        with pytest.raises(TypeError, match="a raw record is"):
            run(queue_of((5, "k", "v", raw)), 9, 1 << 63, 1e18)


@pytest.mark.parametrize(
    ("field", "number"),
    [("length", -sys.maxsize - 1), ("young_count", sys.maxsize), ("young_max", -sys.maxsize - 1)],
)
def test_numbers_of_rows_do_not_wrap(field: str, number: int) -> None:
    noted: list[Any] = []
    heir = type("Noting", (RecentRows,), {"note": lambda self, *row: noted.append(row)})
    recent = recent_rows(heir)
    setattr(recent, field, number)
    compiled.note_row(recent, b"k" + pack_timestamp(5), b"row")
    assert noted == [(b"k" + pack_timestamp(5), b"row")]
