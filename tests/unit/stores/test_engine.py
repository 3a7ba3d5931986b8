"""An engine of the user's own: where it may be named, when it is refused, how it is used."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Consumed,
    Grouped,
    JoinWindows,
    KStream,
    Materialized,
    Produced,
    SessionWindows,
    StoreBuilder,
    Stores,
    StreamJoined,
    StreamsBuilder,
    TimeWindows,
    TopologyError,
    serdes,
)
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.errors import StreamsError
from penstock.stores import StoreEngine, StorePlace
from penstock.stores._open_engine import open_engine
from penstock.testing import TopologyTestDriver

TEXT = serdes.string()
GROUPED = Grouped(key=TEXT, value=TEXT)


class Diary(StoreEngine):
    """An engine that holds its entries in memory and notes what is asked of it."""

    opened: list[StorePlace] = []  # noqa: RUF012 - it is of all
    destroyed: list[StorePlace] = []  # noqa: RUF012

    def __init__(self, place: StorePlace, *, label: str = "plain") -> None:
        self.place, self.label = place, label
        self._rows = MemoryStore()
        self.opened.append(place)

    def get(self, key: bytes) -> bytes | None:
        return self._rows.get(key)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        return self._rows.scan(start, end, reverse=reverse)

    def approximate_num_entries(self) -> int:
        return self._rows.approximate_num_entries()

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self._rows.write(changes, changelog_offset, dropped)

    def changelog_offset(self) -> int | None:
        return self._rows.changelog_offset()

    def close(self) -> None:
        self._rows.close()

    def destroy(self) -> None:
        self.destroyed.append(self.place)
        self.close()


class WithoutScan:
    """An engine that has not all methods."""

    def __init__(self, place: StorePlace) -> None: ...

    def get(self, key: bytes) -> bytes | None: ...

    def close(self) -> None: ...


class HalfWritten(StoreEngine):
    """Inherits, but leaves out most."""

    def __init__(self, place: StorePlace) -> None: ...

    def get(self, key: bytes) -> bytes | None: ...


@pytest.fixture(autouse=True)
def _empty_diary() -> None:
    Diary.opened.clear()
    Diary.destroyed.clear()


Say = Callable[[KStream[str, str], Any], KStream[Any, Any]]

PROGRAMS: dict[str, Say] = {
    "key-value": lambda s, store: (
        s.group_by_key(GROUPED).count(Materialized("s", store=store)).to_stream().map_values(str)
    ),
    "windows": lambda s, store: (
        s.group_by_key(GROUPED)
        .windowed_by(TimeWindows.of_size(10, grace=5, advance=5))
        .count(Materialized("s", key=TEXT, value=serdes.long(), store=store))
        .to_stream()
        .map(lambda window, count: (str(window), str(count)))
    ),
    "sessions": lambda s, store: (
        s.group_by_key(GROUPED)
        .windowed_by(SessionWindows.of_inactivity_gap(8, grace=5))
        .count(Materialized("s", key=TEXT, value=serdes.long(), store=store))
        .to_stream()
        .map(lambda window, count: (str(window), str(count)))
    ),
    "versions": lambda s, store: s.join(
        s.to_table(Materialized("s", TEXT, TEXT, store=store, history_retention=100)),
        lambda left, right: f"{left}{right}",
    ),
    "stream-stream join": lambda s, store: s.left_join(
        s.map_values(str.upper),
        lambda left, right: f"{left}{right}",
        JoinWindows.of_time_difference(5, grace=5),
        StreamJoined(store_name="s", key=TEXT, value=TEXT, other_value=TEXT, store=store),
    ),
}


def results(say: Say, store: object) -> list[tuple[Any, Any]]:
    builder = StreamsBuilder()
    say(builder.stream("in", Consumed(TEXT, TEXT)), store).to("out", Produced(TEXT, TEXT))
    with TopologyTestDriver(builder.build(), {"statestore.cache.max.bytes": 0}) as driver:
        source = driver.create_input_topic("in", TEXT, TEXT)
        for time, key in ((0, "a"), (3, "b"), (7, "a"), (2, "a"), (30, "b"), (22, "a"), (90, "a")):
            source.pipe_input(key, f"{key}{time}", timestamp=time)
        return driver.create_output_topic("out", TEXT, TEXT).read_key_values()


@pytest.mark.parametrize("name", PROGRAMS)
def test_stores_of_every_kind_live_in_it_and_give_the_same_results(name: str) -> None:
    assert results(PROGRAMS[name], Diary) == results(PROGRAMS[name], "rocksdb")
    expected = {"s-this-join-store", "s-outer-other-join-store", "s-left-shared-join-store"}
    stores = {place.store for place in Diary.opened}
    assert stores == (expected if name == "stream-stream join" else {"s"})
    assert set(Diary.destroyed) == set(Diary.opened)


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: Stores.key_value_store("s", key=TEXT, value=TEXT, store=store),
        lambda store: Stores.timestamped_key_value_store("s", key=TEXT, value=TEXT, store=store),
        lambda store: Stores.versioned_key_value_store(
            "s", history_retention=5, key=TEXT, value=TEXT, store=store
        ),
        lambda store: Stores.window_store(
            "s", retention=9, window_size=3, key=TEXT, value=TEXT, store=store
        ),
        lambda store: Stores.timestamped_window_store(
            "s", retention=9, window_size=3, key=TEXT, value=TEXT, store=store
        ),
        lambda store: Stores.session_store("s", retention=9, key=TEXT, value=TEXT, store=store),
    ],
)
def test_stores_of_processors_may_live_in_it(ask: Callable[[object], StoreBuilder]) -> None:
    assert ask(Diary).engine is Diary
    assert ask("in_memory").engine == "in_memory"
    with pytest.raises(TopologyError, match="WithoutScan has no scan"):
        ask(WithoutScan)


def test_a_place_of_the_driver_is_used_by_no_other_and_removed() -> None:
    results(PROGRAMS["key-value"], functools.partial(Diary, label="x"))
    results(PROGRAMS["key-value"], functools.partial(Diary, label="x"))
    first, _, second, _ = Diary.opened
    assert first.application_id != second.application_id
    assert (first.task_id, first.store, first.directory.name) == ("0_0", "s", "s")
    assert not first.directory.parent.exists()
    assert first.directory != second.directory


def test_a_partial_of_an_engine_travels_by_pickle(tmp_path: Path) -> None:
    opens = pickle.loads(pickle.dumps(functools.partial(Diary, label="here")))
    assert opens(StorePlace("app", "0_1", "s", tmp_path)).label == "here"


def unlucky(place: StorePlace) -> WithoutScan:
    return WithoutScan(place)


@pytest.mark.parametrize(
    ("store", "told"),
    [
        ("lmdb", "'rocksdb', 'in_memory' or an engine of your own; got 'lmdb'"),
        (7, "got 7; pass an engine's class, not an object of it"),
        (WithoutScan, "has no scan, collect, approximate_num_entries, write, changelog_offset"),
        (functools.partial(WithoutScan), "inherit from StoreEngine and write what is missing"),
        (HalfWritten, "has no scan, approximate_num_entries, write, changelog_offset, close"),
        (unlucky, r"store=unlucky must open an engine .* WithoutScan has no scan"),
        (
            functools.partial(Diary, url="x"),  # type: ignore[call-arg]
            "must be callable with a StorePlace alone",
        ),
        (lambda: None, "must be callable with a StorePlace alone; .* functools.partial"),
    ],
)
def test_what_is_no_engine_is_refused_where_it_is_named(store: Any, told: str) -> None:
    with pytest.raises(TopologyError, match=told) as refused:
        Materialized("counts", store=store)
    assert __file__ in str(refused.value)


def test_what_shows_too_late_that_it_is_no_engine_is_refused_when_it_is_opened() -> None:
    def open_something(place):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return WithoutScan(place)

    with pytest.raises(StreamsError, match=r"engine of store 's' must have .* has no scan"):
        results(PROGRAMS["key-value"], open_something)


def test_an_engine_that_cannot_be_opened_says_whose_it_is(tmp_path: Path) -> None:
    def refuse(place: StorePlace) -> StoreEngine:
        raise ConnectionError("nobody there")

    place = StorePlace("app", "0_1", "s", tmp_path)
    with pytest.raises(StreamsError, match=r"store 's', task 0_1, cannot .* nobody there"):
        open_engine(refuse, place)


class InBuffers(Diary):
    """Returns buffers, as `lmdb` does, or what a database makes of its columns."""

    made: Callable[[bytes], Any] = bytearray

    def get(self, key: bytes) -> bytes | None:
        value = super().get(key)
        return None if value is None else type(self).made(value)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        made = type(self).made
        rows = super().scan(start, end, reverse=reverse)
        return ((made(key), made(value)) for key, value in rows)


class InViews(InBuffers):
    made = memoryview


class InText(InBuffers):
    made = staticmethod(bytes.hex)


@pytest.mark.parametrize("engine", [InBuffers, InViews])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_engine_may_return_other_buffers_than_bytes(name: str, engine: type) -> None:
    assert results(PROGRAMS[name], engine) == results(PROGRAMS[name], "rocksdb")


@pytest.mark.parametrize("name", ["key-value", "windows", "versions"])
def test_an_engine_that_returns_no_bytes_is_named(name: str) -> None:
    told = r"engine of store 's.*', task 0_0, must return .* bytes; InText returned str: '0"
    with pytest.raises(StreamsError, match=told):
        results(PROGRAMS[name], InText)
