"""Values, keys and callbacks that turn on the store that holds them, a collector that runs at each
allocation, allocations that fail: nothing crashes and no update is lost. `make sanitize` runs this
under AddressSanitizer and UndefinedBehaviorSanitizer.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Consumed, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.output.row_sender import RowSender, Target
from penstock._engine.runtime.position import Position
from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.segments.recent_rows import RecentRows
from penstock._engine.state.segments.rows import RowClock, Rows
from penstock.testing import TopologyTestDriver
from tests.unit.engine.fast.test_arguments import queue_of, recent_rows, run
from tests.unit.engine.state.cache.test_entries import FORMS, LARGE, Form

in_c = pytest.mark.skipif(compiled is None, reason="nothing is compiled")
DOCUMENT, TEXT = serdes.json(), serdes.string()


@dataclass(frozen=True)
class Avenger:
    """A value that writes to its store when it dies: once for each store in `targets`."""

    number: int
    targets: ClassVar[list[Any]] = []

    def __del__(self) -> None:
        if self.targets:
            store = self.targets.pop()
            for n in range(20):
                store.put(f"other {n}", Avenger(-1))


def test_a_value_that_writes_to_its_table_when_it_dies_loses_no_update() -> None:
    builder, of_rows = StreamsBuilder(), serdes.json(Avenger)
    table = builder.table("table", Consumed(TEXT, of_rows), Materialized("rows", store="in_memory"))
    joined = builder.stream("in", Consumed(TEXT, DOCUMENT)).left_join(
        table, lambda _, row: None if row is None else row.number
    )
    joined.to("out", Produced(TEXT, DOCUMENT))
    with TopologyTestDriver(builder.build(), {"statestore.cache.max.bytes": 1000}) as driver:
        updates = driver.create_input_topic("table", TEXT, of_rows)
        inputs = driver.create_input_topic("in", TEXT, DOCUMENT)
        store = driver.get_key_value_store("rows")
        for number in range(20):
            Avenger.targets.append(store)
            updates.pipe_input("k", Avenger(number))
            inputs.pipe_input("k", number)
        Avenger.targets.clear()
        assert store.get("k") == Avenger(19)
        rows = driver.create_output_topic("out", TEXT, DOCUMENT).read_records()
    assert [row.value for row in rows] == list(range(20))


class Mortal(bytes):
    """Bytes that do something when they die."""

    at_death: Callable[[], object] = staticmethod(bool)

    def __del__(self) -> None:
        self.at_death()


class Odd(bytes):
    """A key that does something when it is hashed or compared."""

    attack: Callable[[], object]

    def __hash__(self) -> int:
        self.attack()
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        self.attack()
        return super().__eq__(other)


def made_of(kind: Any, data: bytes, attack: Callable[[], object]) -> Any:
    made = kind(data)
    made.attack = made.at_death = attack
    return made


@contextmanager
def collecting(attack: Callable[[], object], allocations: int = 1) -> Iterator[None]:
    """Collect after so many allocations of containers, again and again; call `attack` each time."""

    def attack_at_start(phase: str, _info: object) -> None:
        if phase == "start":
            attack()

    threshold, hook = gc.get_threshold(), sys.unraisablehook
    gc.freeze()
    gc.collect()  # it empties the lists of free tuples, which no collection comes before
    gc.callbacks.append(attack_at_start)
    sys.unraisablehook = lambda _: None
    gc.set_threshold(allocations)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(attack_at_start)
        sys.unraisablehook = hook
        gc.unfreeze()


class Arena:
    """Entries that are attacked by what they hold and call, by one of the `plans` each time."""

    def __init__(self, form: Form, limit_bytes: int, plans: list[tuple[str, bytes]]) -> None:
        make_budget, make_entries = form
        self.plans, self.left, self.depth = plans, 50, 0
        self.budget = make_budget(limit_bytes)
        self.held = make_entries(self.budget, Position(), self.miss, self.attack, self.give_way)
        self.look = self.held.decoding(self.decode)

    def attack(self, *_: object) -> None:
        if self.plans and self.left and self.depth < 3:
            self.left -= 1
            self.depth += 1
            try:
                self.do(*self.plans[self.left % len(self.plans)])
            finally:
                self.depth -= 1

    def miss(self, key: bytes) -> bytes | None:
        self.attack()
        if key != b"below" or key in self.held:
            return None
        self.held.keep(bytes(key), b"row")
        return b"row"

    def decode(self, value: bytes) -> Any:
        self.attack()
        return made_of(Mortal, value, self.attack)

    def give_way(self) -> None:
        while self.budget.used_bytes > self.budget.limit_bytes and len(self.held):
            self.pop()

    def pop(self) -> None:
        before = self.held.used_bytes
        if len(self.held):
            self.held.pop_oldest()
        self.budget.used_bytes += self.held.used_bytes - before

    def do(self, verb: str, key: bytes) -> None:
        if verb == "raise":
            raise ZeroDivisionError
        headers = ((made_of(Mortal, b"name", self.attack), None),)
        {
            "write": lambda: self.held.write(
                key, made_of(Mortal, b"a value", self.attack), self.left, headers
            ),
            "delete": lambda: self.held.write(key, None, 0, ()),
            "get": lambda: self.held.get(key),
            "look": lambda: self.look(key),
            "use": lambda: self.held.used([key] if key in self.held else []),
            "take": self.held.take_changes,
            "drop": lambda: self.held.drop_deleted(key),
            "pop": self.pop,
            "clear": self.held.clear,
        }[verb]()

    def state(self) -> Any:
        held = self.held
        return (
            held.in_order_of_use(),
            held.used_bytes,
            [change[0] for change in held.take_changes()],
        )

    def drain(self) -> None:
        """Empty the entries: nothing is counted for them then."""
        held = self.held
        self.left = 0
        assert sorted(held.in_order_of_use()) == sorted({*held.in_order_of_use()})
        assert all(key in held for key in held.in_order_of_use())
        held.take_changes()
        while len(held):
            assert held.pop_oldest() is None
        assert (held.used_bytes, held.in_order_of_use(), held.take_changes()) == (0, [], [])


KEYS = st.sampled_from([b"a", b"bb", b"ccc", b"below"])
QUIET = ["write"] * 4 + ["delete", "get", "use", "take", "drop"]
LOUD = ["write"] * 6 + ["delete", "get", "look", "look", "use", "take", "drop", "pop", "clear"]
STEPS = st.lists(st.tuples(st.sampled_from(LOUD), KEYS), max_size=12)
PLANS = st.lists(st.tuples(st.sampled_from([*LOUD, "raise", "raise"]), KEYS), max_size=12)
LIMITS = st.sampled_from([60, 120, 200, LARGE])


@in_c
@given(
    st.lists(st.tuples(st.sampled_from(QUIET), KEYS), max_size=12),
    st.lists(st.tuples(st.sampled_from(QUIET), KEYS), max_size=12),
)
def test_both_forms_hold_the_same_when_values_write_at_their_death(
    steps: list[tuple[str, bytes]], plans: list[tuple[str, bytes]]
) -> None:
    arenas = [Arena(form, LARGE, plans) for form in FORMS]
    for step in steps:
        for arena in arenas:
            arena.do(*step)
        assert arenas[0].held.in_order_of_use() == arenas[1].held.in_order_of_use()
    for arena in arenas:
        arena.left = 0
    assert arenas[0].state() == arenas[1].state()


@in_c
@given(STEPS, PLANS, LIMITS, st.integers(1, 9), st.booleans())
def test_entries_stay_whole_whatever_attacks_them(
    steps: list[tuple[str, bytes]],
    plans: list[tuple[str, bytes]],
    limit_bytes: int,
    allocations: int,
    is_odd: bool,
) -> None:
    arena = Arena(FORMS[-1], limit_bytes, plans)
    with collecting(arena.attack, allocations):
        for verb, key in steps:
            try:
                arena.do(verb, made_of(Odd, key, arena.attack) if is_odd else key)
            except (ZeroDivisionError, ValueError, KeyError):
                continue
    arena.drain()


# Places where a reference was borrowed for too long


def rows_of(recent: Any) -> Any:
    made: Any = Rows.__new__(Rows)
    made.clock, made.interval, made.recent = RowClock.__new__(RowClock), 1000, recent
    made.clock.expired, made.clock.observed = -1, 100
    return made


@in_c
def test_rows_that_are_dropped_while_they_are_read_are_read() -> None:
    expected = [b"row %d of its own" % time for time in range(9)]

    def drop() -> None:
        for tail in recent.young.values():
            tail.rows.clear()
        recent.young.clear()

    answers = []
    for allocations in range(1, 20):
        recent = recent_rows()
        for time, row in enumerate(expected):
            key = pack_timestamp(0) + b"k" + pack_timestamp(time)
            compiled.note_row(recent, key, bytes([*row]))
        rows = rows_of(recent)
        with collecting(drop, allocations):
            found = compiled.rows_of_key(rows, b"k", 0, 50)
        answers.append([row for _, row in found])
    assert expected in answers
    assert all(answer in ([], expected) for answer in answers)


@in_c
@pytest.mark.parametrize("attack", ["commit", "forget", "break", "again"])
def test_a_row_is_noted_once_whatever_runs_meanwhile(attack: str) -> None:
    row_key = b"k" + pack_timestamp(5)

    def disturb() -> None:
        if attack == "commit":
            recent.committed()
        elif attack == "forget":
            recent.young.clear()
            recent.young_count = 0
        elif attack == "break":
            recent.young, recent.unsorted, recent.young_count = {}, [], 0
        else:
            RecentRows.note(recent, b"k" + pack_timestamp(4), b"four")

    for allocations in range(1, 9):
        recent = recent_rows()
        with collecting(disturb, allocations):
            compiled.note_row(recent, row_key, made_of(Mortal, b"row", disturb))
        with collecting(disturb, allocations):
            compiled.note_row(recent, row_key, b"new")
        recent.young.setdefault(b"k", compiled.Tail(b"", {row_key: b"new"}))
        assert recent.young[b"k"].rows[row_key] == b"new"
        tails = recent.young.values()
        assert recent.young_count in {0, sum(1 + len(tail.rows) for tail in tails)}


@in_c
def test_headers_that_go_while_columns_are_read_are_an_error() -> None:
    times, texts = (0, None, bytes(80), None), (0, None, bytes(40), b"")
    for allocations in range(1, 20):
        headers: list[Any] = [((str(n), b"v"),) for n in range(9)]
        with collecting(headers.clear, allocations), suppress(ValueError):
            records = compiled.column_records(9, 0, None, times, texts, texts, headers)
            assert [record[4] for record in records] == [((str(n), b"v"),) for n in range(9)]


class OddTopic(str):
    """A topic that does something when it is hashed."""

    __slots__ = ("attack",)

    attack: Callable[[], object]

    def __hash__(self) -> int:
        self.attack()
        return super().__hash__()


def outputs_that_go() -> list[Any]:
    outputs: list[Any] = []
    for n in range(20):
        topic = OddTopic(f"topic {n}")
        topic.attack = outputs.clear
        outputs.append((topic, 0, b"key", b"value", 5, (("name", b"value"),)))
    return outputs


@in_c
def test_outputs_that_go_while_they_are_looked_at_do_no_harm() -> None:
    places: Any = {f"topic {n}": [compiled.RecordColumns()] for n in range(20)}
    assert compiled.add_outputs(outputs_that_go(), 0, set(), places) == (0, 0)
    assert compiled.add_outputs(outputs_that_go(), 0, {*places}, places) == (1, 0)
    assert list(compiled.sizes_of_outputs(outputs_that_go(), 1).values()) == [(1, 17)] * 9


@in_c
def test_records_that_go_while_their_sizes_are_added_up_do_no_harm() -> None:
    for allocations in range(1, 20):
        # To encode lone surrogates is Python's.
        records: list[Any] = [(0, 0, b"k", b"v", ((f"\ud800{n}", b"x"),)) for n in range(9)]
        with collecting(records.clear, allocations):
            assert compiled.size_of_records(records) % 7 == 0


# Allocations that fail


def each_allocation_failing(make: Callable[[], Any], use: Callable[[Any], object]) -> list[Any]:
    """Return what is left of the object of each try."""
    testcapi = pytest.importorskip("_testcapi", reason="this Python cannot fail allocations")
    used, hook = [], sys.unraisablehook
    sys.unraisablehook = lambda _: None
    gc.disable()
    try:
        for number in range(30):
            used.append(make())
            try:  # `suppress` would allocate
                testcapi.set_nomemory(number, number + 1)
                use(used[-1])
            except MemoryError:
                pass
            finally:
                testcapi.remove_mem_hooks()
    finally:
        gc.enable()
        sys.unraisablehook = hook
    return used


def filled() -> Arena:
    arena = Arena(FORMS[-1], LARGE, [])
    for key in (b"a", b"bb", b"ccc"):
        arena.do("write", key)
    return arena


@in_c
@pytest.mark.parametrize("verb", sorted({*LOUD}))
@pytest.mark.parametrize("key", [b"a", b"new", b"below"])
def test_entries_stay_whole_when_an_allocation_fails(verb: str, key: bytes) -> None:
    for arena in each_allocation_failing(filled, lambda arena: arena.do(verb, key)):
        arena.drain()


@in_c
def test_rows_and_columns_stay_whole_when_an_allocation_fails() -> None:
    row_key = b"k" + pack_timestamp(5)
    for recent in each_allocation_failing(
        recent_rows, lambda recent: compiled.note_row(recent, row_key, b"row")
    ):
        compiled.rows_of_key(rows_of(recent), b"k", 0, 50)
        compiled.note_row(recent, row_key, b"row")
        assert recent.young[b"k"].rows == {row_key: b"row"}

    def columns() -> Any:
        made = compiled.RecordColumns()
        made.append(None, b"value", 5)
        return made

    for made in each_allocation_failing(columns, lambda made: made.take()):
        made.take()
        made.append(b"k", None, 7)
        assert made.take()[0] == 1


@in_c
def test_an_allocation_that_fails_is_an_error_or_no_loss() -> None:
    output = ("out", None, b"key", b"value", 5, (("name", b"value"),))
    sizes: Any = [output] * 20
    times, texts = (0, None, bytes(80), None), (0, None, bytes(40), b"")
    sender = RowSender(lambda _: None, Target("out", 0, len, 1, 1))
    row = pack_timestamp(5) + b"value"
    calls: list[Callable[[Any], object]] = [
        lambda _: compiled.sizes_of_outputs(sizes, 1),
        lambda _: compiled.column_records(9, 0, None, times, texts, texts, None),
        lambda _: compiled.column_partitions(texts, 9, 3),
        lambda _: sender.log(b"row key", row, 7, ()),
        lambda _: run(queue_of((5, "k", "v", (0, 5, b"k", b"v", ()))), 1, 1 << 63, 1e18),
        lambda _: compiled.add_outputs(sizes, 0, set(), {"out": [compiled.RecordColumns()]}),
    ]
    for call in calls:
        each_allocation_failing(lambda: None, call)
