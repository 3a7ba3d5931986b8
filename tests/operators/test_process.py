"""process and process_values: the user's own operators, their forwards, timers and stores."""

from __future__ import annotations

from datetime import timedelta
from threading import Thread
from typing import Any

import pytest

from penstock import (
    Cancellable,
    Consumed,
    FixedKeyProcessor,
    FixedKeyRecord,
    Materialized,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    RecordMetadata,
    Stores,
    StreamsBuilder,
    StreamsError,
    ValueAndTimestamp,
    serdes,
)
from penstock.testing import TopologyTestDriver
from tests.operators.programs import ANYTHING, Program, drive, pipe, read, read_all, run

TEXT = serdes.string()
AnyProcessor = Processor[Any, Any, Any, Any]
COUNTS = Stores.in_memory_key_value_store("counts", key=ANYTHING, value=ANYTHING)


class Twice(AnyProcessor):
    """Forwards each record twice, the second time a second later under another key."""

    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)
        self.context.forward(record.with_key("later").with_timestamp(record.timestamp + 1000))


class Count(FixedKeyProcessor[Any, Any, int]):
    """Counts by key."""

    def process(self, record: FixedKeyRecord[Any, Any]) -> None:
        counts = self.context.get_state_store("counts")
        count = (counts.get(record.key) or 0) + 1
        counts.put(record.key, count)
        self.context.forward(record.with_value(count))


def test_a_processor_forwards_none_one_or_many() -> None:
    made = run(lambda s: s.process(Twice), [("a", 1, 5), (None, None, 6)])
    assert made == [("a", 1, 5), ("later", 1, 1005), (None, None, 6), ("later", None, 1006)]


def test_a_supplier_may_be_a_function() -> None:
    class Add(AnyProcessor):
        def __init__(self, amount: int) -> None:
            self.amount = amount

        def process(self, record: Record[Any, Any]) -> None:
            self.context.forward(record.with_value(record.value + self.amount))

    assert run(lambda s: s.process(lambda: Add(5)), [("a", 1)]) == [("a", 6, 0)]


def test_a_store_remembers_and_the_test_may_look() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(COUNTS)
        builder.stream("in").process_values(Count, state_stores=["counts"]).to("out")

    with drive(build, **{"application.id": "app"}) as driver:
        pipe(driver, "in", ("a", "x", 1), ("b", "x", 2), ("a", "x", 3))
        assert read(driver, "out") == [("a", 1, 1), ("b", 1, 2), ("a", 2, 3)]
        assert list(driver.get_state_store("counts").all()) == [("a", 2), ("b", 1)]
        assert read(driver, "app-counts-changelog") == [("a", 1, 1), ("b", 1, 2), ("a", 2, 3)]


def test_forward_to_one_child_by_name() -> None:
    class Sort(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.forward(record, "even" if record.value % 2 == 0 else "odd")

    def build(builder: StreamsBuilder) -> None:
        sorted_ = builder.stream("in").process(Sort)
        for name in ("odd", "even"):
            sorted_.filter(lambda k, v: True, named=name).to(name)

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1), ("a", 2))
        assert read(driver, "odd") == [("a", 1, 0)]
        assert read(driver, "even") == [("a", 2, 0)]


def test_the_context_tells_where_the_record_was_read() -> None:
    seen: list[Any] = []

    class Look(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            context = self.context
            seen.append((context.record_metadata, context.current_stream_time_ms))
            assert (context.application_id, context.task_id) == ("app", "0_0")

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").process(Look)

    with drive(build, **{"application.id": "app"}) as driver:
        pipe(driver, "in", ("a", 1, 9), ("b", 2, 4))
    assert seen == [(RecordMetadata("in", 0, 0), 9), (RecordMetadata("in", 0, 1), 9)]


class Ticking(AnyProcessor):
    """Forwards a record at each tick of a timer; cancels it at the third."""

    type = PunctuationType.STREAM_TIME
    timer: Cancellable

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        self.ticks = 0
        self.timer = context.schedule(timedelta(milliseconds=10), self.type, self.tick)

    def tick(self, now: int) -> None:
        self.ticks += 1
        self.context.forward(Record("tick", self.ticks, now))
        if self.ticks == 3:
            self.timer.cancel()

    def process(self, record: Record[Any, Any]) -> None:
        pass


class TickingOnTheWall(Ticking):
    type = PunctuationType.WALL_CLOCK_TIME


def test_a_stream_time_timer_ticks_with_the_records() -> None:
    times = (25, 28, 31, 60, 70, 90)
    made = run(lambda s: s.process(Ticking), [("a", 1, time) for time in times])
    assert made == [("tick", 1, 25), ("tick", 2, 31), ("tick", 3, 60)]


def test_a_wall_clock_timer_ticks_once_per_step_of_the_clock() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").process(TickingOnTheWall).to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 500))
        for step in (9, 1, 35, timedelta(seconds=1)):
            driver.advance_wall_clock_time(step)
        assert read(driver, "out") == [("tick", 1, 10), ("tick", 2, 45), ("tick", 3, 1045)]


def test_headers_belong_to_the_record_in_hand() -> None:
    """A processor may change them in place: neither its siblings nor its parent see it."""

    class Tag(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            record.headers.add("tag", b"1").remove("trace")
            self.context.forward(record)
            record.headers.add("tag", b"2")

    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.process(Tag).to("tagged")
        stream.to("sibling")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 0, [("trace", b"0")]))
        (tagged,), (sibling,) = read_all(driver, "tagged"), read_all(driver, "sibling")
    assert list(tagged.headers) == [("tag", b"1")]
    assert list(sibling.headers) == [("trace", b"0")]


def test_what_is_done_to_a_value_after_it_was_forwarded_changes_nothing_below() -> None:
    class Reuse(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            value = record.value
            for number in (1, 2):
                value["count"] = number
                self.context.forward(record.with_value(value))
            value["count"] = 99

    assert run(lambda s: s.process(Reuse), [("a", {})]) == [
        ("a", {"count": 1}, 0),
        ("a", {"count": 2}, 0),
    ]


def test_what_is_done_to_a_value_after_it_was_put_changes_nothing_in_the_store() -> None:
    class Collect(FixedKeyProcessor[Any, Any, Any]):
        def process(self, record: FixedKeyRecord[Any, Any]) -> None:
            store = self.context.get_state_store("counts")
            seen = store.get(record.key) or []
            seen.append(record.value)
            store.put(record.key, seen)
            seen.append("too late")
            self.context.forward(record.with_value(store.get(record.key)))

    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(COUNTS)
        builder.stream("in").process_values(Collect, state_stores=["counts"]).to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1), ("a", 2))
        assert [value for _, value, _ in read(driver, "out")] == [[1], [1, 2]]


def test_a_store_logs_with_the_time_of_the_record_in_hand() -> None:
    """Also after a forward to another processor, which had a record of another time in hand."""

    class Later(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            store = self.context.get_state_store("counts")
            store.put("before", 1)
            self.context.forward(record.with_timestamp(record.timestamp + 1000))
            store.put("after", 1)

    class Below(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.get_state_store("counts").put("below", 1)

    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(COUNTS)
        stream = builder.stream("in").process(Later, state_stores=["counts"])
        stream.process(Below, state_stores=["counts"])

    with drive(build, **{"application.id": "app"}) as driver:
        pipe(driver, "in", ("a", 1, 5))
        assert read(driver, "app-counts-changelog") == [
            ("before", 1, 5),
            ("below", 1, 1005),
            ("after", 1, 5),
        ]


def test_one_processor_object_per_node() -> None:
    made: list[AnyProcessor] = []

    class Noted(AnyProcessor):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            super().init(context)
            made.append(self)

        def process(self, record: Record[Any, Any]) -> None:
            self.context.forward(record)

    program: Program = lambda s: s.process(Noted).process(Noted)  # noqa: E731
    assert run(program, [("a", 1)]) == [("a", 1, 0)]
    assert len(set(map(id, made))) == 2


@pytest.mark.parametrize("prefix", ["app.", ""])
def test_settings_of_the_users_own_reach_the_processor(prefix: str) -> None:
    seen: list[Any] = []

    class Look(AnyProcessor):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            seen.append(context.app_configs_with_prefix(prefix)["app.limit".removeprefix(prefix)])

        def process(self, record: Record[Any, Any]) -> None:
            pass

    run(lambda s: s.process(Look), [], **{"app.limit": 5, "default.key.serde": serdes.string()})
    assert seen == [5]


def test_a_cached_store_that_is_written_while_another_is_flushed_is_committed() -> None:
    """Java flushes each cache once: what comes later is left out of the commit."""

    class Look(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            pass

    class Keep(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.get_state_store("kept").put(record.key, record.value)

    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(
            Stores.in_memory_key_value_store("kept", key=ANYTHING, value=ANYTHING, caching=True)
        )
        stream = builder.stream("in")
        stream.process(Look, state_stores=["kept"])  # so that it is flushed before the counts
        counts = stream.group_by_key().count(Materialized("counts")).to_stream()
        counts.process(Keep, state_stores=["kept"])

    with drive(build, **{"application.id": "app"}) as driver:
        pipe(driver, "in", ("a", "x", 1), ("a", "x", 2))
        assert read(driver, "app-kept-changelog") == [("a", 1, 1), ("a", 2, 2)]


def test_what_close_forwards_is_refused() -> None:
    """It would be in no commit. Java sends it, and with exactly-once aborts it."""

    class Last(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            self.last = record

        def close(self) -> None:
            self.context.forward(self.last)

    driver = drive(lambda b: b.stream("in").process(Last).to("out"))
    pipe(driver, "in", ("a", 1))
    with pytest.raises(StreamsError, match=r"must forward in process or in a timer; .* in close"):
        driver.close()


def test_what_another_thread_forwards_is_refused() -> None:
    class Threaded(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.forward(record)
            thread = Thread(target=self.forward, args=[record], name="mine")
            thread.start()
            thread.join(60)

        def forward(self, record: Record[Any, Any]) -> None:
            try:
                self.context.forward(record)
            except StreamsError as error:
                errors.append(str(error))

    errors: list[str] = []
    assert run(lambda s: s.process(Threaded), [("a", 1, 5)]) == [("a", 1, 5)]
    assert len(errors) == 1
    assert "got a forward in thread 'mine'" in errors[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.with_timestamp(1234.5), "whole milliseconds in 64 bits; got 1234.5"),
        (lambda r: r.with_timestamp(float("nan")), "in 64 bits; got nan"),
        (lambda r: r.with_timestamp(2**63), "in 64 bits; got 9223372036854775808"),
        (lambda r: r.with_headers([("a", "text")]), "a header must be a pair of a str key"),
        (lambda r: r.with_headers({"trace": b"1"}), "a header must be a pair of a str key"),
        (lambda r: r.with_headers([("\ud800", b"x")]), "must be text that UTF-8 can hold"),
    ],
)
def test_what_kafka_cannot_take_is_refused_where_it_is_forwarded(change: Any, message: str) -> None:
    class Wrong(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.forward(change(record))

    with pytest.raises(StreamsError, match=f"processor .* at topic 'in', .*{message}"):
        run(lambda s: s.process(Wrong), [("a", 1, 5)])


class Passing(Processor[str, int, str, int]):
    """Forwards what it gets."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        self._context = context

    def process(self, record: Record[str, int]) -> None:
        self._context.forward(record)


def test_rows_that_leave_a_full_cache_between_two_records_are_forwarded() -> None:
    """A row that a query reads, or a test puts, is kept in the cache, for which others must leave
    it.
    """
    builder = StreamsBuilder()
    counts = builder.stream("in", Consumed(TEXT, TEXT)).group_by_key()
    counts.count(Materialized("counts", TEXT, serdes.long())).to_stream().process(Passing).to(
        "out", Produced(TEXT, serdes.long())
    )
    config = {"application.id": "app", "statestore.cache.max.bytes": 200}
    with TopologyTestDriver(builder.build(), config) as driver:
        source = driver.create_input_topic("in", TEXT, TEXT)
        target = driver.create_output_topic("out", TEXT, serdes.long())
        source.pipe_input("first", "x")
        store = driver.get_timestamped_key_value_store("counts")
        keys = [f"key {number}" for number in range(20)]
        for key in keys:
            store.put(key, ValueAndTimestamp(1, 5))
        source.pipe_input("last", "x")
        assert [record.key for record in target.read_records()] == ["first", *keys, "last"]


def rekeyed(record: FixedKeyRecord[Any, Any]) -> FixedKeyRecord[Any, Any]:
    return FixedKeyRecord(record.value, record.value, record.timestamp)


def mutated(record: FixedKeyRecord[Any, Any]) -> FixedKeyRecord[Any, Any]:
    record.key = record.value  # type: ignore[misc]  # it is final
    return record


def from_an_earlier_version(record: FixedKeyRecord[Any, Any]) -> FixedKeyRecord[Any, Any]:
    other = rekeyed(record)
    del other._given_key  # a pickle of that time does not have it
    return other


@pytest.mark.parametrize(
    "change",
    [
        rekeyed,
        from_an_earlier_version,
        lambda record: rekeyed(record).with_timestamp(5).with_headers([]),
        mutated,
        lambda record: mutated(record).with_value(1),
        lambda record: FixedKeyRecord(True, None, 0) if record.key == 1 else rekeyed(record),
    ],
    ids=[
        "new",
        "unpickled",
        "a copy of a new one",
        "changed",
        "a copy of a changed one",
        "equal, other bytes",
    ],
)
def test_a_processor_that_keeps_keys_cannot_forward_another(change: Any) -> None:
    """No repartitioning follows: counts by the new key would be those of one partition."""

    class Rekey(FixedKeyProcessor[Any, Any, Any]):
        def process(self, record: FixedKeyRecord[Any, Any]) -> None:
            self.context.forward(change(record))

    why = r"must keep the key of its records, as no repartition.*record\.with_value.*a timer"
    with pytest.raises(StreamsError, match=why):
        run(lambda stream: stream.process_values(Rekey), [(1, "x")])


def test_records_that_were_given_before_can_be_forwarded_and_new_ones_of_the_same_key() -> None:
    """As in Java, where a processor may hold its records back."""

    class Later(FixedKeyProcessor[Any, Any, Any]):
        def init(self, context: Any) -> None:
            super().init(context)
            self.held: list[FixedKeyRecord[Any, Any]] = []
            context.schedule(100, PunctuationType.STREAM_TIME, self.flush)

        def process(self, record: FixedKeyRecord[Any, Any]) -> None:
            for earlier in self.held:
                self.context.forward(earlier.with_value("earlier"))
            self.held = [record]
            copy = list(record.key)
            self.context.forward(FixedKeyRecord(copy, "new", record.timestamp))

        def flush(self, now_ms: int) -> None:
            for held in self.held:
                self.context.forward(FixedKeyRecord(held.key, "by a timer", now_ms))

    seen = run(lambda stream: stream.process_values(Later), [(["a"], 1, 0), (["b"], 2, 150)])
    assert [(key, value) for key, value, _ in seen] == [
        (["a"], "new"),
        (["a"], "by a timer"),
        (["a"], "earlier"),
        (["b"], "new"),
        (["b"], "by a timer"),
    ]
