"""A task driven directly, as Spark will: several partitions, batches, commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import pytest

from penstock import (
    Cancellable,
    EmitStrategy,
    Materialized,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    StreamsBuilder,
    StreamsConfig,
    StreamsError,
    TimeWindows,
)
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.runtime.commit import (
    Commit,
    CommitOffset,
    decode_notes,
    encode_partition_time,
)
from penstock._engine.runtime.records import RawRecord
from penstock._engine.runtime.stores.task_stores import MakeEngine, memory_engine
from penstock._engine.runtime.task import Task
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import KeyRange
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.handlers import LogAndContinueExceptionHandler

PARTITIONS = [("in", 0), ("in", 1)]


def task(program: Callable[[StreamsBuilder], object], **config: Any) -> Task:
    """Return a started task that reads both partitions of topic "in", of which the host knows that
    nothing is left on the broker.
    """
    return hosted(program, config)


def hosted(
    program: Callable[[StreamsBuilder], object],
    config: Mapping[str, Any],
    make_engine: MakeEngine = memory_engine,
    cache_budget: CacheBudget | None = None,
    *,
    start: bool = True,
) -> Task:
    """Return such a task with the engines and the caches of a host."""
    builder = StreamsBuilder()
    program(builder)
    settings = {
        "application.id": "app",
        "default.key.serde": "string",
        "default.value.serde": "string",
        **config,
    }
    (plan,) = plan_subtopologies(builder.build(), "app")
    made = Task(
        "0_0",
        plan,
        StreamsConfig(settings),
        PARTITIONS,
        lambda topic: 4,
        make_engine=make_engine,
        cache_budget=cache_budget,
    )
    made.set_lags(dict.fromkeys(PARTITIONS, 0))
    if start:
        made.start(0)
    return made


def echo(builder: StreamsBuilder) -> None:
    builder.stream("in").to("out")


def raws(*timestamps: int, first_offset: int = 0) -> list[RawRecord]:
    return [
        (first_offset + i, time, b"k", f"v{time}".encode(), ()) for i, time in enumerate(timestamps)
    ]


def values(made: Task) -> list[bytes | None]:
    return [value for _, _, _, value, _, _ in made.drain()]


def offsets(commit: Commit | None) -> dict[tuple[str, int], int] | None:
    if commit is None:
        return None
    return {partition: where.offset for partition, where in commit.offsets.items()}


def test_partitions_are_interleaved_by_time_in_batches_of_any_size() -> None:
    for limit in (1, 2, 3, 100):
        made = task(echo)
        made.add_records("in", 0, raws(1, 4, 5))
        made.add_records("in", 1, raws(2, 3, 9))
        while made.process(0, limit):
            pass
        assert values(made) == [b"v1", b"v2", b"v3", b"v4", b"v5", b"v9"]


@pytest.mark.parametrize("partitions", [1, 2, 3])
def test_the_order_is_the_same_one_by_one_and_in_long_stretches(partitions: int) -> None:
    def played(limit: int, draw: Random) -> list[bytes | None]:
        made = task(echo)
        for partition in range(2, partitions):
            made.add_partition("in", partition)
        for _ in range(20):
            for partition in range(partitions):
                times = sorted(draw.choices(range(30), k=draw.randrange(6)))
                records = [
                    (0, time, b"k", b"%d of %d, %d" % (time, partition, number), ())
                    for number, time in enumerate(times)
                ]
                made.add_records("in", partition, records)
            while made.process(0, limit):
                pass
        return values(made)

    for seed in range(20):
        one_by_one = played(1, Random(seed))
        assert len(one_by_one) > 20
        assert played(1_000, Random(seed)) == one_by_one


def test_process_gives_how_many_it_took() -> None:
    made = task(echo)
    made.add_records("in", 0, raws(1, 2, 3))
    assert (made.process(0, 2), made.process(0, 2), made.process(0, 2)) == (2, 1, 0)
    assert made.counters.processed == 3


def test_a_task_waits_for_a_partition_with_lag() -> None:
    made = task(echo)
    made.set_lags({("in", 0): 0, ("in", 1): 5})
    made.add_records("in", 0, raws(1))
    assert made.process(0, 10) == 0
    assert made.has_records()
    made.add_records("in", 1, raws(0))
    assert made.process(0, 10) == 1
    assert values(made) == [b"v0"]


def test_nothing_happened_nothing_to_commit() -> None:
    assert task(echo).prepare_commit() is None


def test_a_commit_goes_on_at_the_next_record_of_each_partition_that_was_read() -> None:
    made = task(echo)
    made.add_records("in", 0, raws(7, 5, first_offset=10))
    made.process(0)
    assert made.prepare_commit() == Commit({("in", 0): CommitOffset(11, encode_partition_time(7))})
    made.committed()
    assert made.prepare_commit() is None
    made.process(0)
    assert made.prepare_commit() == Commit({("in", 0): CommitOffset(12, encode_partition_time(7))})


def test_the_next_offsets_are_those_of_a_commit_of_all_that_was_ever_read() -> None:
    made = hosted(echo, {}, start=False)
    assert made.next_offsets() == {}
    made.resume(("in", 1), 4, "")
    made.start(0)
    made.add_records("in", 0, raws(7, 5, first_offset=10))
    assert made.next_offsets() == {("in", 0): 10, ("in", 1): 4}
    made.process(0)
    assert made.next_offsets() == {("in", 0): 11, ("in", 1): 4}
    made.process(0)
    made.prepare_commit()
    made.committed()
    assert made.next_offsets() == {("in", 0): 12, ("in", 1): 4}


def test_a_commit_that_was_not_performed_is_decided_again() -> None:
    made = task(echo)
    made.add_records("in", 0, raws(1))
    made.process(0)
    assert offsets(made.prepare_commit()) == offsets(made.prepare_commit()) == {("in", 0): 1}


def test_skipped_records_are_committed_but_not_counted_as_processed() -> None:
    made = task(
        echo,
        **{
            "default.value.serde": "long",
            "deserialization.exception.handler": LogAndContinueExceptionHandler,
        },
    )
    made.add_records("in", 0, raws(1, 2))
    assert made.process(0, 10) == 1
    assert values(made) == []
    assert offsets(made.prepare_commit()) == {("in", 0): 2}
    assert made.counters.by_name()["process-total"] == 0
    assert made.counters.by_name()["dropped-records-total"] == 2


class Ticking(Processor[Any, Any, Any, Any]):
    """Forwards each tick of both clocks; asks for a commit at each record."""

    timers: list[Cancellable]

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        for type in PunctuationType:
            context.schedule(10, type, lambda now, type=type: self.tick(type, now))  # type: ignore[misc]

    def tick(self, type: PunctuationType, now: int) -> None:
        self.context.forward(Record(type.value, str(now), now))

    def process(self, record: Record[Any, Any]) -> None:
        self.context.commit()


def ticking(builder: StreamsBuilder) -> None:
    builder.stream("in").process(Ticking).to("out")


def test_stream_time_is_the_highest_of_all_partitions() -> None:
    made = task(ticking)
    made.punctuate_stream_time()
    assert values(made) == []
    made.add_records("in", 0, raws(5))
    made.add_records("in", 1, raws(3, 14))
    made.process(0, 10)
    made.punctuate_stream_time()
    assert values(made) == [b"14"]


def test_the_wall_clock_ticks_without_records_and_needs_a_commit() -> None:
    made = task(ticking)
    made.punctuate_wall_clock(9)
    assert made.prepare_commit() is None
    made.punctuate_wall_clock(10)
    assert values(made) == [b"10"]
    assert made.prepare_commit() == Commit({})
    assert made.counters.punctuated == 1


def test_a_processor_may_ask_for_a_commit() -> None:
    made = task(ticking)
    made.add_records("in", 0, raws(1))
    made.process(0)
    assert made.commit_requested
    made.committed()
    assert not made.commit_requested


def test_a_topic_that_nobody_reads_is_refused() -> None:
    with pytest.raises(StreamsError, match="task 0_0 was given topic 'other', which no source"):
        task(echo).add_partition("other", 0)


def test_partitioners_hear_how_many_partitions_the_host_says_there_are() -> None:
    asked: list[int] = []

    def program(builder: StreamsBuilder) -> None:
        builder.stream("in").to(
            "out", Produced(partitioner=lambda topic, key, value, count: asked.append(count))
        )

    made = task(program)
    made.add_records("in", 0, raws(1))
    made.process(0)
    assert asked == [4]


def test_processors_are_closed_even_if_one_of_them_fails() -> None:
    closed: list[str] = []

    class Closing(Processor[Any, Any, Any, Any]):
        def __init__(self, name: str) -> None:
            self.name = name

        def process(self, record: Record[Any, Any]) -> None: ...

        def close(self) -> None:
            closed.append(self.name)
            if self.name != "second":
                raise ValueError(self.name)

    def program(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        for name in ("first", "second", "third"):
            stream.process(lambda name=name: Closing(name), named=name)  # type: ignore[misc]

    made = task(program)
    with pytest.raises(StreamsError, match=r"processor 'third' .* failed to close"):
        made.close()
    assert closed == ["first", "second", "third"]


def counting(builder: StreamsBuilder) -> None:
    builder.stream("in").group_by_key().count(Materialized("counts")).to_stream().to("out")


CHANGELOG = ("app-counts-changelog", 0)


def test_a_commit_lets_out_what_caches_hold_back() -> None:
    made = task(counting)
    made.add_records("in", 0, raws(1, 2, 3))
    made.process(0, limit=10)
    assert made.drain() == []
    commit = made.prepare_commit()
    assert commit is not None
    assert commit.offsets["in", 0].offset == 3
    three = (3).to_bytes(8, "big")
    assert made.drain() == [
        ("app-counts-changelog", 0, b"k", three, 3, ()),
        ("out", None, b"k", three, 3, ()),
    ]


def test_a_store_that_fails_to_flush_does_not_keep_the_others_from_it() -> None:
    """Java: ProcessorStateManager.flushCache."""

    def program(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        for name in ("first", "second", "third"):
            counts = stream.group_by_key().count(Materialized(name)).to_stream()
            counts.for_each(lambda key, count, name=name: flushed(name))  # type: ignore[misc]

    seen: list[str] = []

    def flushed(name: str) -> None:
        seen.append(name)
        if name != "third":
            raise ValueError(name)

    made = task(program)
    made.add_records("in", 0, raws(1))
    made.process(0, limit=1)
    with pytest.raises(StreamsError, match="ValueError: first"):
        made.prepare_commit()
    assert seen == ["first", "second", "third"]


def test_a_commit_makes_state_part_of_the_engine_with_the_changelog_s_offset() -> None:
    made = task(counting)
    store = made.restorable()[CHANGELOG]
    made.add_records("in", 0, raws(1))
    made.process(0)
    made.prepare_commit()
    assert store.changelog_offset() is None
    made.committed({CHANGELOG: 7})
    assert store.changelog_offset() == 7


def test_a_restored_task_goes_on_where_the_changelog_ends() -> None:
    made = task(counting)
    made.restorable()[CHANGELOG].restore([(b"k", (41).to_bytes(8, "big"), 9)], 1)
    made.add_records("in", 0, raws(5))
    made.process(0)
    made.prepare_commit()
    assert made.drain()[-1] == ("out", None, b"k", (42).to_bytes(8, "big"), 9, ())


def test_a_discarded_task_leaves_its_engine_as_it_was() -> None:
    written: list[object] = []

    class Noting(MemoryStore):
        def write(
            self,
            changes: Mapping[bytes, bytes | None],
            changelog_offset: int | None,
            dropped: Sequence[KeyRange] = (),
        ) -> None:
            written.append(changes)

    made = hosted(counting, {}, make_engine=lambda plan: Noting())
    made.add_records("in", 0, raws(1))
    made.process(0)
    made.prepare_commit()
    made.discard()
    assert written == []


def test_tasks_may_share_the_budget_of_their_caches() -> None:
    budget = CacheBudget(1_000)
    for _ in range(2):
        made = hosted(counting, {}, cache_budget=budget)
        made.add_records("in", 0, raws(1))
        made.process(0)
    alone = CacheBudget(1_000)
    made = hosted(counting, {}, cache_budget=alone)
    made.add_records("in", 0, raws(1))
    made.process(0)
    assert budget.used_bytes == 2 * alone.used_bytes > 0


def closing(builder: StreamsBuilder) -> None:
    """Count in windows of ten, each of which comes out once."""
    windowed = builder.stream("in").group_by_key().windowed_by(TimeWindows.of_size(10))
    windowed.emit_strategy(EmitStrategy.on_window_close(idle_after=100))
    counts = windowed.count(Materialized("counts", logging=False))
    counts.to_stream(lambda key, count: str(key)).map_values(str).to("out")


WINDOW_INTERVAL = {"__emit.interval.ms.kstreams.windowed.aggregation__": 0}


def test_what_operators_note_is_committed_for_all_partitions_that_were_ever_read() -> None:
    made = task(closing, **WINDOW_INTERVAL)
    made.add_records("in", 0, raws(5))
    made.process(0)
    made.prepare_commit()
    made.committed()
    made.add_records("in", 1, raws(25, first_offset=7))
    made.process(0)
    commit = made.prepare_commit()
    assert commit is not None
    assert {
        partition: (where.offset, decode_notes(where.metadata))
        for partition, where in commit.offsets.items()
    } == {("in", 0): (1, {"counts": 25}), ("in", 1): (8, {"counts": 25})}
    made.committed()
    made.add_records("in", 1, raws(26, first_offset=8))
    made.process(0)
    assert offsets(made.prepare_commit()) == {("in", 1): 9}


def test_a_task_goes_on_from_the_notes_of_its_commits() -> None:
    engine = MemoryStore()
    old = hosted(closing, WINDOW_INTERVAL, lambda plan: engine)
    old.add_records("in", 0, raws(5, 10))
    assert old.process(0, 10) == 2
    assert values(old) == [b"1"]
    commit = old.prepare_commit()
    assert commit is not None
    old.committed()
    where = commit.offsets["in", 0]

    def resumed(metadata: str) -> list[bytes | None]:
        new = hosted(closing, WINDOW_INTERVAL, lambda plan: engine, start=False)
        new.resume(("in", 0), where.offset, metadata)
        new.start(0)
        new.add_records("in", 0, raws(13, first_offset=2))
        new.process(0)
        return values(new)

    assert resumed(where.metadata) == []
    assert resumed(encode_partition_time(10)) == [b"1"]  # without the note it would come out again
