"""Iterators of stores: closable, context managers, in every store that a user can reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import pytest

from penstock import StoreIterator, Stores, Topology, serdes
from penstock.processor import Processor
from penstock.record import Record
from penstock.stores import StoreBuilder, ValueAndTimestamp
from penstock.testing import TopologyTestDriver
from penstock.windowed import Windowed


def test_closing_ends_it_and_closes_what_it_reads() -> None:
    closed: list[str] = []

    def rows() -> Iterator[int]:
        try:
            yield from (1, 2, 3)
        finally:
            closed.append("closed")

    iterator = StoreIterator(rows())
    assert next(iterator) == 1
    iterator.close()
    assert closed == ["closed"]
    iterator.close()
    assert list(iterator) == []


@pytest.mark.parametrize("rows", [[1, 2, 3], map(int, "123"), (n for n in (1, 2, 3))])
def test_closing_ends_a_loop_that_is_under_way(rows: Iterable[int]) -> None:
    iterator, seen = StoreIterator(rows), list[int]()
    assert next(iterator) == 1
    for row in iterator:
        seen.append(row)
        iterator.close()
    assert seen == [2]


def test_a_with_block_closes_it_also_when_it_fails() -> None:
    failing = StoreIterator(["x", "2"])
    with pytest.raises(ValueError, match="'x'"), failing as rows:
        int(next(rows))
    assert list(failing) == []


TEXT, LONG = serdes.string(), serdes.long()
HOUR = 3_600_000


class Writes(Processor[str, int, str, int]):
    """Puts two rows into each store."""

    def process(self, record: Record[str, int]) -> None:
        for place in (0, 1):
            self.context.get_state_store("plain-map").put(f"k{place}", record.value)
            timed = ValueAndTimestamp(record.value, place)
            self.context.get_state_store("timed-map").put(f"k{place}", timed)
            self.context.get_state_store("windows").put("k", record.value, place)
            self.context.get_state_store("sessions").put(Windowed("k", place, place), place)
            self.context.get_state_store("versions").put("k", record.value, place)


def builders(engine: Literal["rocksdb", "in_memory"]) -> list[StoreBuilder]:
    kinds: dict[str, Any] = {"key": TEXT, "value": LONG}
    own = {**kinds, "store": engine}
    return [
        Stores.key_value_store("plain-map", **own),
        Stores.timestamped_key_value_store("timed-map", **own),
        Stores.window_store("windows", retention=HOUR, window_size=HOUR, **own),
        Stores.session_store("sessions", retention=HOUR, **own),
        Stores.versioned_key_value_store("versions", history_retention=HOUR, **kinds),
    ]


SCANS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "range": ("plain-map", lambda store: store.range(None, None)),
    "reverse_range": ("plain-map", lambda store: store.reverse_range(None, None)),
    "all": ("timed-map", lambda store: store.all()),
    "prefix_scan": ("timed-map", lambda store: store.prefix_scan("k")),
    "window fetch": ("windows", lambda store: store.fetch("k", 0, 5)),
    "window backward_fetch": ("windows", lambda store: store.backward_fetch("k", 0, 5)),
    "window fetch_range": ("windows", lambda store: store.fetch_range(None, None, 0, 5)),
    "window all": ("windows", lambda store: store.all()),
    "session fetch": ("sessions", lambda store: store.fetch("k")),
    "session range": ("sessions", lambda store: store.fetch_range(None, None)),
    "sessions ending": ("sessions", lambda store: store.find_sessions_ending(0, 5)),
    "versions": ("versions", lambda store: store.get("k", 0, 5)),
}


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("engine", ["rocksdb", "in_memory"])
def test_every_scan_of_every_store_can_be_closed(
    engine: Literal["rocksdb", "in_memory"], level: str
) -> None:
    topology = Topology()
    topology.add_source("in", "numbers", key=TEXT, value=LONG)
    topology.add_processor("writes", Writes, "in")
    for builder in builders(engine):
        topology.add_state_store(builder, "writes")
    with TopologyTestDriver(topology, {"metrics.recording.level": level}) as driver:
        driver.create_input_topic("numbers", TEXT, LONG).pipe_input("k", 5)
        for name, (store, scan) in SCANS.items():
            rows = scan(driver.get_state_store(store))
            assert isinstance(rows, StoreIterator), name
            with rows as opened:
                first = next(opened)
            assert list(rows) == [], name
            whole = list(scan(driver.get_state_store(store)))
            assert (first, len(whole)) == (whole[0], 2), name
