"""State that its own application cannot read any more, and handlers that skip whatever fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from penstock import (
    Grouped,
    Joined,
    JoinWindows,
    Materialized,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    SessionWindows,
    SlidingWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
    serdes,
)
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.runtime.task import Task
from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.memory import key_value
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.errors import StateUnreadableError, StreamsError, state_failure
from penstock.serdes import Serde
from penstock.stores import StorePlace
from penstock.stores._open_engine import open_engine
from tests.unit.engine.runtime.test_task import hosted

TEXT = serdes.string()
SKIPPING = {
    "processing.exception.handler": "LogAndContinueProcessingExceptionHandler",
    "deserialization.exception.handler": "LogAndContinueExceptionHandler",
}
Draw = Callable[[StreamsBuilder, Serde[Any]], object]


@dataclass
class Before:
    amount: int


@dataclass
class Now:
    """Rows of before lack a field that has no default."""

    amount: int
    currency: str


def kept(value: Any, other: Any = None) -> Any:
    return value


def stream(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    read: Any = of.document_type  # type: ignore[attr-defined]
    more = () if read is Before else ("EUR",)
    return builder.stream("in").map_values(lambda text: read(int(text), *more))


def grouped(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    return stream(builder, of).group_by_key(Grouped(None, TEXT, of))


def reduced(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    return grouped(builder, of).reduce(kept, Materialized("rows", TEXT, of))


def windows(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    windowed = grouped(builder, of).windowed_by(TimeWindows.of_size(1_000))
    return windowed.reduce(kept, Materialized("rows", TEXT, of))


def sliding(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    windowed = grouped(builder, of).windowed_by(SlidingWindows.of_time_difference(1_000, grace=0))
    return windowed.reduce(kept, Materialized("rows", TEXT, of))


def sessions(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    windowed = grouped(builder, of).windowed_by(SessionWindows.of_inactivity_gap(1_000))
    return windowed.reduce(kept, Materialized("rows", TEXT, of))


def old_values_at_a_flush(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    table = stream(builder, of).to_table(Materialized("rows", TEXT, of))
    return table.suppress(Suppressed.until_time_limit(5, name="held")).to_stream()


def suppressed(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    held = Suppressed.until_time_limit(5, name="rows")
    return reduced_elsewhere(builder, of).suppress(held).to_stream()


def reduced_elsewhere(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    # Without a changelog it is empty after the restart: only the buffer behind it is restored.
    return grouped(builder, of).reduce(
        kept, Materialized("before", TEXT, of, caching=False, logging=False)
    )


def joined_streams(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    options = StreamJoined(None, TEXT, of, of, store_name="rows")
    one = stream(builder, of)
    return one.join(
        one.map_values(kept), kept, JoinWindows.of_time_difference(1_000, grace=0), options
    )


def unmatched(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    options = StreamJoined(None, TEXT, of, of, store_name="rows")
    one = stream(builder, of)
    other = one.filter(lambda key, value: False)
    return one.left_join(other, kept, JoinWindows.of_time_difference(0, grace=0), options)


def waiting_for_versions(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    one = stream(builder, of)
    versions: Any = Materialized("versions", TEXT, of, history_retention=10_000)
    table = one.filter(lambda key, value: False).to_table(versions)
    return one.left_join(table, kept, Joined("rows", TEXT, of, grace=10))


class Looking(Processor[str, Any, str, Any]):
    """Puts each record, and reads all of them in a timer."""

    def init(self, context: ProcessorContext[str, Any]) -> None:
        self.store = context.get_state_store("rows")
        context.schedule(1, PunctuationType.STREAM_TIME, self.look)

    def look(self, timestamp: int) -> None:
        del timestamp
        list(self.store.all())

    def process(self, record: Record[str, Any]) -> None:
        if record.timestamp == 100:
            self.store.put(record.key, record.value)


def timer(builder: StreamsBuilder, of: Serde[Any]) -> Any:
    store = Stores.in_memory_key_value_store("rows", key=TEXT, value=of)
    builder.add_state_store(store)
    return stream(builder, of).process(Looking, state_stores=["rows"])


def raws(first: int, *records: tuple[bytes, int]) -> list[Any]:
    return [(first + at, time, key, b"5", ()) for at, (key, time) in enumerate(records)]


def run(made: Task) -> None:
    """What a worker does with a task in a step that commits."""
    while made.process(0, 100):
        made.punctuate_stream_time()
    made.flush()


def restarted(draw: Draw, now: Serde[Any], **config: Any) -> Task:
    """Return a task of a program whose type has changed, restored from what the one before wrote;
    it is not started.
    """
    settings = {**SKIPPING, **config}
    old = hosted(lambda builder: draw(builder, serdes.json(Before)), settings)
    old.add_records("in", 0, raws(0, (b"k", 100)))
    run(old)
    written: dict[str, list[Any]] = {}
    for topic, _, key, value, timestamp, _ in old.drain():
        written.setdefault(topic, []).append((key, value, timestamp))
    made = hosted(lambda builder: draw(builder, now), settings, start=False)
    for (topic, _), store in made.restorable().items():
        store.restore(written.get(topic, []), 100)
    return made


PROGRAMS = [
    reduced,
    windows,
    sliding,
    sessions,
    old_values_at_a_flush,
    suppressed,
    joined_streams,
    unmatched,
    waiting_for_versions,
    timer,
]


@pytest.mark.parametrize("draw", PROGRAMS, ids=lambda draw: draw.__name__)
def test_no_handler_may_skip_what_its_application_stored_itself(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TaskStore, "read_first", lambda store: None)
    made = restarted(draw, serdes.json(Now))
    made.start(0)
    made.add_records("in", 0, raws(1, (b"x", 200), (b"k", 250), (b"x", 50_000)))
    with pytest.raises(StreamsError) as caught:
        run(made)
    failure = state_failure(caught.value)
    assert isinstance(failure, StateUnreadableError), caught.value
    assert "(changelog 'app-rows" in str(failure)
    assert "Object missing required field `currency`" in str(failure)
    assert made.counters.dropped_records == 0


@pytest.mark.parametrize("draw", PROGRAMS, ids=lambda draw: draw.__name__)
def test_a_task_whose_state_cannot_be_read_does_not_start(draw: Draw) -> None:
    made = restarted(draw, serdes.json(Now))
    with pytest.raises(StateUnreadableError, match=r"of state store 'rows.*\(changelog 'app-rows"):
        made.start(0)


@pytest.mark.parametrize("draw", PROGRAMS, ids=lambda draw: draw.__name__)
def test_a_task_whose_type_is_as_it_was_starts(draw: Draw) -> None:
    made = restarted(draw, serdes.json(Before))
    made.start(0)
    run(made)


@pytest.mark.parametrize("draw", [reduced, windows, sliding, sessions, timer])
def test_a_task_that_starts_does_not_sort_the_keys_of_its_stores_in_memory(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each new key would be put into their order from then on."""
    made = restarted(draw, serdes.json(Before))
    sort = Mock()
    monkeypatch.setattr(key_value, "SortedKeys", sort)
    made.start(0)
    assert not sort.called


def test_rows_of_a_window_that_are_not_seen_any_more_are_not_read() -> None:
    old = serdes.json(Before).encode(Before(5))
    new = serdes.json(Now).encode(Now(5, "EUR"))
    late = 5_000  # the first row has expired, and its segment is still there

    def draw(builder: StreamsBuilder) -> object:
        return windows(builder, serdes.json(Now))

    made = hosted(draw, SKIPPING, start=False)
    (store,) = made.restorable().values()
    for time, row in [(0, old), (late, new)]:
        store.restore([(b"k" + pack_timestamp(time) + bytes(4), row, time)], 2)
    made.start(0)


def test_a_timer_of_the_engine_is_no_other_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held back comes out because nothing else does: no record is in hand."""

    def draw(builder: StreamsBuilder, of: Serde[Any]) -> Any:
        held = Suppressed.until_window_closes(name="rows", idle_after=10)
        windowed = grouped(builder, of).windowed_by(TimeWindows.of_size(50))
        stored: Any = Materialized("before", TEXT, of, logging=False)
        return windowed.reduce(kept, stored).suppress(held).to_stream()

    monkeypatch.setattr(TaskStore, "read_first", lambda store: None)
    made = restarted(draw, serdes.json(Now))
    made.start(0)
    made.add_records("in", 0, raws(1, (b"x", 100)))
    run(made)
    with pytest.raises(StreamsError, match=r"failed in a timer .*\(changelog 'app-rows") as caught:
        made.stay_idle(10_000)
    assert isinstance(state_failure(caught.value), StateUnreadableError)


def test_what_no_changelog_of_ours_can_hold_is_told_with_its_store() -> None:
    made = hosted(lambda builder: suppressed(builder, serdes.json(Now)), {}, start=False)
    (store,) = made.restorable().values()
    with pytest.raises(
        StateUnreadableError, match=r"a change of state store 'rows-store' \(changelog"
    ):
        store.restore([(b"k", b"short", 5)], 1)


class DatabaseError(Exception):
    """As the client of a database raises it."""


def test_an_engine_of_the_user_s_that_cannot_write_is_no_change_that_cannot_be_read(
    tmp_path: Path,
) -> None:
    """Another worker may reach its server."""

    class Broken(MemoryStore):
        def write(self, *_: object) -> None:
            msg = "server closed the connection"
            raise DatabaseError(msg)

    place = StorePlace("app", "0_0", "rows", tmp_path)
    made = hosted(
        lambda builder: reduced(builder, serdes.json(Now)),
        {},
        lambda plan: open_engine(lambda place: Broken(), place),
        start=False,
    )
    (store,) = made.restorable().values()
    row = serdes.json(Now).encode(Now(5, "EUR"))
    with pytest.raises(StreamsError) as caught:
        store.restore([(b"k", row, 5)], 1)
    assert str(caught.value) == (
        "the engine of store 'rows', task 0_0, failed to write: DatabaseError: server closed the "
        "connection"
    )
    assert isinstance(caught.value.__cause__, DatabaseError)
    assert state_failure(caught.value) is None


def test_rows_of_a_table_that_are_records_of_its_topic_are_asked_about() -> None:
    """They come as they are: what the handler has passed over may be among them."""

    def draw(builder: StreamsBuilder) -> None:
        table = builder.table("in", materialized=Materialized("rows", TEXT, serdes.json(Now)))
        looked_up = builder.stream("others").join(table, kept, Joined(None, TEXT, TEXT))
        looked_up.to("out")

    builder = StreamsBuilder()
    draw(builder)
    config = {"application.id": "app", "default.key.serde": "string", **SKIPPING}
    config |= {"default.value.serde": "string", "topology.optimization": "all"}
    (plan,) = plan_subtopologies(builder.build(config), "app")
    partitions = [("in", 0), ("others", 0)]
    made = Task("0_0", plan, StreamsConfig(config), partitions, lambda topic: 1)
    made.set_lags(dict.fromkeys(partitions, 0))
    made.restorable()["in", 0].restore([(b"k", b"no JSON", 5)], 1)
    made.start(0)
    made.add_records("others", 0, raws(0, (b"k", 100)))
    run(made)
    assert made.counters.dropped_records == 1
