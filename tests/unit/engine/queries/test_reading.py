"""Reading the stores of a task: what is committed, and what is not.

A processor writes at random; after each step both readers are compared with the store that the
processor itself sees: with that of now, and with that of the last commit.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from penstock import Materialized, Processor, ProcessorContext, Record, StreamsBuilder, serdes
from penstock._engine.queries.questions import Read, Row
from penstock._engine.queries.reading import part_of, rows_of
from penstock._engine.runtime.stores.task_stores import TaskStore, memory_engine
from penstock._engine.runtime.task import Task
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.marking import ROWS_PER_MARK
from penstock.stores import Stores, ValueAndTimestamp
from penstock.windowed import Windowed
from tests.unit.engine.runtime.test_task import hosted, raws, task, values

HOUR = 3_600_000
BYTES: dict[str, Any] = {"key": serdes.bytes(), "value": serdes.bytes()}
KEYS = [b"a", b"b", b"ba", b"c"]

STORES = {
    "plain": Stores.persistent_key_value_store("plain", **BYTES),
    "cached": Stores.persistent_key_value_store("cached", caching=True, **BYTES),
    "memory": Stores.in_memory_key_value_store("memory", **BYTES),
    "limited": Stores.lru_map("limited", max_entries=3, **BYTES),
    "timed": Stores.timestamped_key_value_store("timed", caching=True, **BYTES),
    "window": Stores.persistent_window_store("window", retention=HOUR, window_size=1000, **BYTES),
    "cached-window": Stores.persistent_window_store(
        "cached-window", retention=HOUR, window_size=1000, caching=True, **BYTES
    ),
    "memory-window": Stores.in_memory_window_store(
        "memory-window", retention=HOUR, window_size=1000, **BYTES
    ),
    "cached-memory-window": Stores.in_memory_window_store(
        "cached-memory-window", retention=HOUR, window_size=1000, caching=True, **BYTES
    ),
    "session": Stores.persistent_session_store("session", retention=HOUR, **BYTES),
    "cached-session": Stores.persistent_session_store(
        "cached-session", retention=HOUR, caching=True, **BYTES
    ),
    "cached-memory-session": Stores.in_memory_session_store(
        "cached-memory-session", retention=HOUR, caching=True, **BYTES
    ),
    "versioned": Stores.versioned_key_value_store("versioned", history_retention=HOUR, **BYTES),
}


def writing(store: str) -> type[Processor[Any, Any, Any, Any]]:
    # A cache shows rows that its store takes for too old.
    latest = HOUR if store.startswith("cached") else 3 * HOUR

    class Writes(Processor[Any, Any, Any, Any]):
        """Writes one entry for each record, by chance; the chance is the record's time."""

        def init(self, context: ProcessorContext[Any, Any]) -> None:
            self._store: Any = context.get_state_store(store)

        def process(self, record: Record[Any, Any]) -> None:
            chance = Random(record.timestamp)
            key, time = chance.choice(KEYS), chance.randrange(0, latest, 1000)
            value = None if chance.random() < 0.2 else b"%d" % chance.randrange(100)
            if "window" in store:
                self._store.put(key, value, time)
            elif "session" in store:
                self._store.put(Windowed(key, time, time + chance.randrange(2000)), value)
            elif store == "versioned":
                self._store.put(key, value, time)
            elif store == "timed":
                self._store.put(key, None if value is None else ValueAndTimestamp(value, time))
            else:
                self._store.put(key, value)

    return Writes


def opened(store: str) -> Task:
    def program(builder: StreamsBuilder) -> None:
        builder.add_state_store(STORES[store])
        builder.stream("in").process(writing(store), state_stores=[store])

    return task(program, **{"statestore.cache.max.bytes": 100_000})


def reads(store: str) -> list[Read]:
    """Return reads of all kinds that a store has."""
    if "window" in store:
        return [
            Read("window_range", time_to=3 * HOUR),
            Read("window_range", (), b"b", b"c", HOUR, 2 * HOUR, reverse=True),
            Read("windows", (b"a", b"b"), time_to=3 * HOUR),
            Read("windows", (b"b",), time_from=HOUR, time_to=2 * HOUR, reverse=True),
            *(Read("window", (b"a",), time_from=start) for start in range(0, HOUR, 300_000)),
        ]
    if "session" in store:
        return [
            Read("session_range"),
            Read("session_range", (), b"b", None, HOUR, 2 * HOUR, reverse=True),
            Read("sessions", (b"a", b"b")),
            Read("sessions", (b"a",), time_from=HOUR, time_to=2 * HOUR, reverse=True),
        ]
    if store == "versioned":
        return [
            Read("version", (b"a", b"b")),
            *(Read("version", (b"a",), time_to=time, reverse=True) for time in (HOUR, 2 * HOUR)),
            Read("versions", (b"a", b"b"), reverse=True),
            Read("versions", (b"b",), time_from=HOUR, time_to=2 * HOUR),
        ]
    return [
        Read("get", tuple(KEYS)),
        Read("range"),
        Read("range", (), b"b", b"c", reverse=True),
        Read("prefix", (b"b",)),
    ]


def content(made: Task, store: str, *, uncommitted: bool) -> list[list[Row | None]]:
    reader = held_by(made, store).reader(uncommitted=uncommitted)
    return [list(rows_of(reader, read)) for read in reads(store)]


def held_by(made: Task, store: str) -> TaskStore:
    held = made.task_store(store)
    assert held is not None
    return held


@pytest.mark.parametrize("store", STORES)
def test_a_committed_reader_shows_the_last_commit_and_the_other_one_shows_now(store: str) -> None:
    made, chance = opened(store), Random(store)
    committed = content(made, store, uncommitted=True)
    for step in range(40):
        time = chance.randrange(1_000_000)
        made.add_records("in", 0, raws(time, first_offset=step))
        made.process(time, 10)
        if store != "limited":  # which entry gives way is not the engine's to know
            assert content(made, store, uncommitted=False) == committed
        if chance.random() < 0.3:
            made.prepare_commit()
            made.drain()
            made.committed()
            committed = content(made, store, uncommitted=True)
            assert content(made, store, uncommitted=False) == committed
    assert any(committed)


@pytest.mark.parametrize(("store", "kind"), [("plain", "windows"), ("window", "get")])
def test_a_store_of_another_kind_says_what_it_is(store: str, kind: Any) -> None:
    held = opened(store).task_store(store)
    assert held is not None
    with pytest.raises(LookupError, match=f"store '{store}' is a .*Store: it has no '{kind}'"):
        rows_of(held.reader(uncommitted=False), Read(kind, (b"a",)))


@pytest.mark.parametrize("store", [name for name in STORES if "cached" in name or name == "timed"])
def test_a_query_leaves_the_cache_as_it_is(store: str) -> None:
    made, chance = opened(store), Random(store)
    held = held_by(made, store)
    cache = held._cache
    assert isinstance(cache, CachedStore)
    held_rows = 0
    for step in range(40):
        time = chance.randrange(1_000_000)
        made.add_records("in", 0, raws(time, first_offset=step))
        made.process(time, 10)
        if chance.random() < 0.3:
            made.flush()
            if chance.random() < 0.5:
                held.forget_reads()
        before = cache.entries.in_order_of_use(), cache.entries.used_bytes
        seen = content(made, store, uncommitted=True)
        assert (cache.entries.in_order_of_use(), cache.entries.used_bytes) == before
        assert [list(rows_of(held.face, read)) for read in reads(store)] == seen
        held_rows += len(before[0])
    assert held_rows


def counting(*, cache_bytes: int, start: bool = True) -> Task:
    def program(builder: StreamsBuilder) -> None:
        stored: Materialized[Any, Any] = Materialized("counts")
        builder.stream("in").group_by_key().count(materialized=stored).to_stream().to("out")

    return hosted(program, {}, memory_engine, CacheBudget(cache_bytes), start=start)


def outputs(made: Task) -> list[int]:
    return [int.from_bytes(value) for value in values(made) if value is not None]


def count_of(number: int) -> bytes:
    return number.to_bytes(8)


@pytest.mark.parametrize("read", [Read("get", (b"k",)), Read("range")])
def test_what_a_query_reads_during_a_restore_is_not_what_the_task_goes_on_with(read: Read) -> None:
    made = counting(cache_bytes=100_000, start=False)
    held = held_by(made, "counts")
    held.restore([(b"k", count_of(5), 1)], 1)
    assert list(rows_of(held.reader(uncommitted=True), read)) == [
        (b"k", count_of(5), 1, None, None)
    ]
    held.restore([(b"k", count_of(9), 2)], 2)
    made.start(0)
    made.add_records("in", 0, raws(3))
    made.process(3, 1)
    made.flush()
    assert set(outputs(made)) == {10}


def test_a_task_begins_without_what_was_read_before_it_was_restored() -> None:
    made = counting(cache_bytes=100_000, start=False)
    held = held_by(made, "counts")
    held.restore([(b"k", count_of(5), 1)], 1)
    assert held.face.get("k") is not None
    held.restore([(b"k", count_of(9), 2)], 2)
    made.start(0)
    assert held.face.get("k").value == 9


def test_a_query_makes_no_room_in_the_cache_by_flushing_entries() -> None:
    made = counting(cache_bytes=150, start=False)
    held = held_by(made, "counts")
    held.restore([(b"%d" % number, count_of(number), 1) for number in range(20)], 20)
    made.start(0)
    made.add_records("in", 0, raws(3))
    made.process(3, 1)
    reader = held.reader(uncommitted=True)
    for read in (Read("get", tuple(b"%d" % number for number in range(20))), Read("range")):
        assert len(list(rows_of(reader, read))) >= 20
    assert [row and row[1] for row in rows_of(reader, Read("count"))] == [count_of(20)]
    assert outputs(made) == []
    made.flush()
    assert set(outputs(made)) == {1}


MANY = 10 * ROWS_PER_MARK


def filled(store: str) -> TaskStore:
    """Return a store of windows or sessions of many keys at one time, and of one key later."""
    held = held_by(opened(store), store)
    for number in range(MANY + 1):
        key, time = (b"%06d" % number, 1000) if number < MANY else (b"last", 9000)
        held.face.put(
            *((key, b"v", time) if "window" in store else (Windowed(key, time, time), b"v"))
        )
    return held


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "store", [name for name in STORES if "window" in name or "session" in name]
)
def test_rows_that_are_passed_over_leave_marks(store: str, reverse: bool) -> None:
    kind: Any = "window_range" if "window" in store else "session_range"
    read = Read(kind, (), b"0", b"z", 9000, HOUR, reverse=reverse)
    found = list(rows_of(filled(store).reader(uncommitted=True), read))
    assert [row[0] for row in found if row is not None] == [b"last"]
    assert found.count(None) == 10


@pytest.mark.parametrize("store", ["memory-window", "cached-memory-session"])
def test_rows_that_must_be_sorted_leave_marks_before_the_first(store: str) -> None:
    kind: Any = "window_range" if "window" in store else "session_range"
    read = Read(kind, (), b"0", b"z", 0, HOUR)
    found = list(rows_of(filled(store).reader(uncommitted=True), read))
    assert found[:10] == [None] * 10
    assert None not in found[10:]
    assert len(found) == 10 + MANY + 1


def test_keys_that_are_not_there_leave_marks() -> None:
    held = held_by(opened("plain"), "plain")
    held.face.put(b"%d" % MANY, b"v")
    read = Read("get", tuple(b"%d" % number for number in range(MANY + 1)))
    found = list(rows_of(held.reader(uncommitted=True), read))
    assert found == [None] * 10 + [(b"%d" % MANY, b"v", None, None, None)]


def test_a_page_ends_at_so_many_marks_or_when_it_is_over() -> None:
    row: Row = (b"k", b"v", None, None, None)
    rows = iter([row, None, None, row, None, row])
    assert part_of(rows, (10, 100, 2), lambda: False) == ((row,), True)
    assert part_of(rows, (10, 100, 2), lambda: True) == ((row,), True)
    assert part_of(rows, (10, 100, 2), lambda: False) == ((row,), False)
