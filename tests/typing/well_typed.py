"""A program that type-checks: `assert_type` says what each verb makes of its stream's types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, assert_type

from penstock import (
    Branched,
    BufferConfig,
    Cancellable,
    CogroupedKStream,
    Consumed,
    ConsumerRecord,
    EmitStrategy,
    FixedKeyProcessor,
    FixedKeyProcessorContext,
    FixedKeyRecord,
    GlobalKTable,
    Grouped,
    Joined,
    JoinWindows,
    KeyValueStore,
    KGroupedStream,
    KGroupedTable,
    KStream,
    KTable,
    Materialized,
    Named,
    Printed,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    RecordContext,
    Repartitioned,
    SessionWindowedKStream,
    SessionWindows,
    SlidingWindows,
    StoreIterator,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TableJoined,
    TimeWindowedKStream,
    TimeWindows,
    Topology,
    ValueAndTimestamp,
    ValueTransformerWithKey,
    Windowed,
    WindowStore,
    serdes,
)
from penstock.testing import MockProcessorContext, TestRecord, TopologyTestDriver
from penstock.timestamps import EventTimestampExtractor, WallclockTimestampExtractor


@dataclass
class Order:
    user: str
    amount: int


builder = StreamsBuilder()
builder.add_state_store(
    Stores.in_memory_key_value_store("totals", key=serdes.string(), value=serdes.long())
)

# Sources

orders = builder.stream("orders", Consumed(key=serdes.string(), value=serdes.json(Order)))
assert_type(orders, KStream[str, Order])
assert_type(builder.stream("anything"), KStream[Any, Any])
counts = builder.stream(["a", "b"], Consumed(key=serdes.uuid(), value=serdes.long()))
builder.stream(re.compile("orders-.*"), Consumed[str, Order]())

Consumed(timestamp_extractor=WallclockTimestampExtractor(), offset_reset="earliest")
Consumed(timestamp_extractor=EventTimestampExtractor(lambda order: order.amount))


def time_of(record: ConsumerRecord, partition_time: int) -> int:
    return max(record.timestamp, partition_time)


Consumed(timestamp_extractor=time_of)

# Verbs

assert_type(orders.filter(lambda user, order: order.amount > 5), KStream[str, Order])
assert_type(orders.filter_not(lambda user, order: user == order.user), KStream[str, Order])
assert_type(orders.map(lambda user, order: (order.amount, user)), KStream[int, str])
assert_type(orders.map_values(lambda order: order.amount), KStream[str, int])
assert_type(
    orders.map_values_with_key(lambda user, order: (user, order)), KStream[str, tuple[str, Order]]
)
assert_type(orders.flat_map(lambda user, order: [(order.amount, user)]), KStream[int, str])
assert_type(orders.flat_map_values(lambda order: order.user.split()), KStream[str, str])
assert_type(orders.flat_map_values_with_key(lambda user, order: {order.amount}), KStream[str, int])
assert_type(orders.select_key(lambda user, order: order.amount), KStream[int, Order])
assert_type(orders.peek(print), KStream[str, Order])
assert_type(orders.merge(orders, named=Named("again")), KStream[str, Order])
assert_type(orders.repartition(Repartitioned(name="by-user", partitions=3)), KStream[str, Order])
orders.for_each(lambda user, order: None, named="end")
orders.print(Printed.to_sys_out(label="orders", mapper=lambda user, order: order.user))


def large(user: str, order: Order) -> bool:
    return order.amount > 100


class Limit:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def exceeded(self, user: str, order: Order) -> bool:
        return order.amount > self.limit

    def __call__(self, order: Order) -> bool:
        return order.amount > self.limit


assert_type(orders.filter(large).filter(Limit(5).exceeded), KStream[str, Order])
assert_type(orders.map_values(Limit(5)), KStream[str, bool])

# Tables and aggregates

by_user = orders.group_by_key()
assert_type(by_user, KGroupedStream[str, Order])
by_amount = orders.group_by(lambda user, order: order.amount, Grouped(key=serdes.long()))
assert_type(by_amount, KGroupedStream[int, Order])
assert_type(by_user.count(), KTable[str, int])
assert_type(by_user.count(Materialized("counts")), KTable[str, int])
assert_type(by_user.reduce(lambda total, order: order, named="last"), KTable[str, Order])
amounts = by_user.aggregate(int, lambda user, order, total: total + order.amount)
assert_type(amounts, KTable[str, int])
by_user.aggregate(
    list[int],
    lambda user, order, all_of: [*all_of, order.amount],
    Materialized("lists", key=serdes.string(), value=serdes.json(list[int])),
)
users = builder.table("users", Consumed(key=serdes.string(), value=serdes.json(Order)))
assert_type(users, KTable[str, Order])
assert_type(builder.table("anything-else"), KTable[Any, Any])
kept = Materialized("kept", key=serdes.string(), value=serdes.long())
assert_type(builder.table("numbers", materialized=kept), KTable[str, int])
assert_type(users.filter(lambda user, order: order.amount > 5), KTable[str, Order])
assert_type(users.map_values(lambda order: order.amount, Materialized("a")), KTable[str, int])
assert_type(users.map_values_with_key(lambda user, order: user), KTable[str, str])
assert_type(users.to_stream(), KStream[str, Order])
assert_type(users.to_stream(lambda user, order: order.amount), KStream[int, Order])
bonuses_by_user = builder.table(
    "user-bonuses", Consumed(key=serdes.string(), value=serdes.double())
)
bonuses = builder.table("bonuses", Consumed(key=serdes.long(), value=serdes.double()))
assert_type(
    users.join(bonuses, lambda order: order.amount, lambda order, bonus: bonus * order.amount),
    KTable[str, float],
)
assert_type(
    users.left_join(
        bonuses,
        lambda user, order: None if user == "nobody" else order.amount,
        lambda order, bonus: bonus is None,
        TableJoined("bonus"),
        Materialized("with-bonus"),
    ),
    KTable[str, bool],
)
assert_type(users.join(users, lambda one, other: one.amount), KTable[str, int])
assert_type(
    users.outer_join(bonuses_by_user, lambda order, bonus: bonus, Materialized("either")),
    KTable[str, float | None],
)
users_by_amount = users.group_by(lambda user, order: (order.amount, user), Grouped("by-amount"))
assert_type(users_by_amount, KGroupedTable[int, str])
assert_type(users_by_amount.count(Materialized("sizes")), KTable[int, int])
assert_type(
    users_by_amount.reduce(lambda total, user: total + user, lambda total, user: total),
    KTable[int, str],
)
assert_type(
    users_by_amount.aggregate(
        float, lambda amount, user, total: total + 1, lambda amount, user, total: total - 1
    ),
    KTable[int, float],
)
assert_type(
    users.suppress(Suppressed.until_time_limit(timedelta(seconds=5), BufferConfig(max_records=9))),
    KTable[str, Order],
)


class Amounts(ValueTransformerWithKey[str, Order, int]):
    def transform(self, key: str, value: Order | None) -> int | None:
        assert_type(self.context.timestamp, int)
        return None if value is None else value.amount


assert_type(users.transform_values(Amounts, state_stores=["totals"]), KTable[str, int])

assert_type(orders.to_table(), KTable[str, Order])
assert_type(orders.to_table(Materialized("orders-table")), KTable[str, Order])
assert_type(users.queryable_store_name, str | None)

# Branches

branches = (
    orders.split(named="by-size-")
    .branch(large, Branched(name="large"))
    .branch(lambda user, order: order.amount > 10, Branched(function=lambda stream: stream))
    .branch(lambda user, order: True, Branched(consumer=lambda stream: stream.to("small")))
    .default_branch()
)
assert_type(branches, dict[str, KStream[str, Order]])

# Sinks


def route(user: str, order: Order, context: RecordContext) -> str:
    return f"{context.topic}-{user}"


orders.to("copies")
orders.to("copies", Produced(key=serdes.string(), value=serdes.json(Order)))
orders.to(route)
orders.to(lambda user, order, context: order.user)
orders.to("copies", Produced(partitioner=lambda topic, user, order, count: order.amount % count))
counts.to("counts", Produced(value=serdes.long()))

# Windows

grouped = orders.group_by_key()
minutes = grouped.windowed_by(TimeWindows.of_size(timedelta(minutes=1), grace=500))
assert_type(minutes, TimeWindowedKStream[str, Order])
assert_type(minutes.emit_strategy(EmitStrategy.on_window_close()), TimeWindowedKStream[str, Order])
assert_type(
    minutes.late_to("late", Produced(value=serdes.json(Order))).count(), KTable[Windowed[str], int]
)
assert_type(minutes.reduce(lambda one, other: other), KTable[Windowed[str], Order])
assert_type(
    minutes.aggregate(int, lambda user, order, total: total + order.amount),
    KTable[Windowed[str], int],
)
assert_type(
    grouped.windowed_by(SlidingWindows.of_time_difference(5)).count(Materialized("sliding")),
    KTable[Windowed[str], int],
)
sessions = grouped.windowed_by(SessionWindows.of_inactivity_gap(5))
assert_type(sessions, SessionWindowedKStream[str, Order])
assert_type(
    sessions.aggregate(
        int,
        lambda user, order, total: total + order.amount,
        lambda user, one, other: one + other,
        Materialized(value=serdes.long()),
    ),
    KTable[Windowed[str], int],
)
assert_type(minutes.count().to_stream(), KStream[Windowed[str], int])
assert_type(minutes.count().to_stream(lambda windowed, count: windowed.key), KStream[str, int])


def add_amount(user: str, order: Order, total: int) -> int:
    return total + order.amount


both = grouped.cogroup(add_amount).cogroup(grouped, add_amount)
assert_type(both, CogroupedKStream[str, int])
assert_type(both.aggregate(int), KTable[str, int])
assert_type(both.windowed_by(TimeWindows.of_size(5)).aggregate(int), KTable[Windowed[str], int])

# Processors


class Total(Processor[str, Order, str, int]):
    timer: Cancellable

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.total = 0
        self.timer = context.schedule(
            timedelta(seconds=1), PunctuationType.WALL_CLOCK_TIME, self.tick, start_time=0
        )

    def tick(self, now: int) -> None:
        self.context.forward(Record("total", self.total, now))

    def process(self, record: Record[str, Order]) -> None:
        assert_type(record.value, Order)
        assert_type(record.with_value(5), Record[str, int])
        assert_type(record.with_key(5), Record[int, Order])
        self.total += record.value.amount


class Users(FixedKeyProcessor[str, Order, str]):
    def init(self, context: FixedKeyProcessorContext[str, str]) -> None:
        super().init(context)

    def process(self, record: FixedKeyRecord[str, Order]) -> None:
        self.context.forward(record.with_value(record.value.user))


class AnyOrder(Processor[object, Order | None, str, Order | str]):
    """Takes more and forwards less than it says."""

    def process(self, record: Record[object, Order | None]) -> None:
        if record.value is not None:
            plain: Record[str, Order] = Record("order", record.value, record.timestamp)
            self.context.forward(plain)
            self.context.forward(plain.with_value("text"))
            self.take(plain)

    def take(self, wider: Record[object, Order | str]) -> None:
        assert_type(wider.value, Order | str)


class AnyUser(FixedKeyProcessor[str, Order, str | int]):
    def process(self, record: FixedKeyRecord[str, Order]) -> None:
        amount: FixedKeyRecord[str, int] = record.with_value(record.value.amount)
        self.context.forward(amount)


def measured(record: ConsumerRecord, partition_time: int) -> int:
    return max(record.timestamp, partition_time)


def first_of(store: KeyValueStore[str, int], windows: WindowStore[str, int]) -> int:
    with store.range("a", None) as rows:
        assert_type(rows, StoreIterator[tuple[str, int]])
        first = next(rows, None)
    rows.close()
    with windows.fetch("a", 0, 5) as starts:
        assert_type(next(starts), tuple[int, int])
    wider: StoreIterator[tuple[object, int | None]] = store.all()
    wider.close()
    dated: Windowed[str | int] = Windowed("a", 0, 5)
    timed: ValueAndTimestamp[object] = ValueAndTimestamp(dated, 5)
    return timed.timestamp if first is None else first[1]


def make_total() -> Total:
    return Total()


assert_type(orders.process(Total, state_stores=["totals"]), KStream[str, int])
assert_type(orders.process(make_total), KStream[str, int])
assert_type(orders.process(AnyOrder), KStream[str, Order | str])
assert_type(orders.process_values(AnyUser), KStream[str, str | int])
builder.stream("dated", Consumed[str, str](timestamp_extractor=measured))
assert_type(orders.process_values(Users), KStream[str, str])

assert_type(builder.build(), Topology)

# Joins of streams

near = JoinWindows.of_time_difference(timedelta(minutes=1), grace=5)
limits = builder.stream("limits", Consumed(key=serdes.string(), value=serdes.long()))
people = builder.table("people", Consumed(key=serdes.string(), value=serdes.string()))
prices = builder.global_table("prices", Consumed(key=serdes.long(), value=serdes.double()))
assert_type(prices, GlobalKTable[int, float])


def over(order: Order, limit: int | None) -> int:
    return order.amount - (limit or 0)


assert_type(
    orders.join(limits, lambda order, limit: order.amount > limit, near), KStream[str, bool]
)
assert_type(orders.left_join(limits, over, near, StreamJoined(name="over")), KStream[str, int])
assert_type(
    orders.outer_join_with_key(limits, lambda user, order, limit: (user, limit), near),
    KStream[str, tuple[str, int | None]],
)
assert_type(orders.join(people, lambda order, name: name, Joined("named")), KStream[str, str])
assert_type(
    orders.left_join_with_key(people, lambda user, order, name: name or user), KStream[str, str]
)
assert_type(
    orders.join(prices, lambda user, order: order.amount, lambda order, price: price),
    KStream[str, float],
)

topology = (
    Topology()
    .add_source("orders", "orders", key=serdes.string(), value=serdes.json(Order))
    .add_processor("total", Total, "orders")
    .add_sink("totals", "totals", "total", value=serdes.long())
)

# Tests


def check(driver: TopologyTestDriver) -> None:
    into = driver.create_input_topic("orders", serdes.string(), serdes.json(Order))
    into.pipe_input("user", Order("user", 5), timestamp=7)
    into.pipe_input(Order("user", 5))
    into.pipe_record(TestRecord("user", Order("user", 5)))
    out = driver.create_output_topic("totals", serdes.string(), serdes.long())
    assert_type(out.read_value(), int | None)
    assert_type(out.read_key_values(), list[tuple[str | None, int | None]])


def check_alone(processor: Total) -> None:
    context = MockProcessorContext()
    processor.init(context)
    processor.process(Record("user", Order("user", 5), 0))
