"""Mistakes that a type checker finds: every line marked `# wrong`, and no other."""

from __future__ import annotations

from dataclasses import dataclass

from penstock import (
    Branched,
    Consumed,
    FixedKeyProcessor,
    FixedKeyRecord,
    JoinWindows,
    KStream,
    Materialized,
    Printed,
    Processor,
    Produced,
    PunctuationType,
    Record,
    Repartitioned,
    StreamsBuilder,
    TimeWindows,
    serdes,
)
from penstock.testing import TestInputTopic, TopologyTestDriver


@dataclass
class Order:
    user: str
    amount: int


builder = StreamsBuilder()
orders = builder.stream("orders", Consumed(key=serdes.string(), value=serdes.json(Order)))
numbers = builder.stream("numbers", Consumed(key=serdes.string(), value=serdes.long()))


def large(user: str, order: Order) -> bool:
    return order.amount > 100


# Functions of the wrong type

numbers.filter(large)  # wrong
numbers.map_values(lambda number: number.amount)  # wrong
orders.map_values(lambda user, order: order)  # wrong
orders.filter(lambda order: order.amount > 5)  # wrong
orders.map(lambda user, order: user)  # wrong
orders.flat_map(lambda user, order: (user, order))  # wrong
orders.flat_map_values(lambda order: order.amount)  # wrong
orders.select_key(None)  # wrong
orders.map_values(lambda order: order.price)  # wrong
not_numbers: KStream[str, int] = orders  # wrong

# Options of the wrong kind

builder.stream("orders", Produced())  # wrong
orders.to("copies", Consumed())  # wrong
orders.to("copies", Produced(value=serdes.long()))  # wrong
orders.repartition(Repartitioned(key=serdes.long()))  # wrong
Consumed(key=serdes.string)  # wrong
Consumed(offset_reset="beginning")  # wrong
orders.print(Printed.to_sys_out(mapper=lambda number, order: number + 1))  # wrong
orders.split().branch(large, Branched(function=lambda stream: 5))  # wrong
orders.merge(numbers)  # wrong
orders.filter(large, "name")  # wrong
orders.to(lambda user, order, context: order.amount)  # wrong

# Tables and aggregates

orders.group_by_key().reduce(lambda total, order: order.amount)  # wrong
orders.group_by_key().aggregate(int, lambda order, total: total)  # wrong
orders.group_by_key().aggregate(0, lambda user, order, total: total)  # wrong
orders.group_by_key(Materialized("counts"))  # wrong
orders.group_by_key().count(Materialized("counts", value=serdes.string()))  # wrong
builder.table(["a", "b"])  # wrong
builder.table("t", Materialized("rows"))  # wrong
Materialized("rows", store="lmdb")  # wrong
not_a_stream: KStream[str, Order] = orders.to_table()  # wrong

# Java's spelling

orders.mapValues(lambda order: order.amount)  # wrong
builder.addStateStore(None)  # wrong

# Windows

TimeWindows.ofSizeWithNoGrace(5)  # wrong
TimeWindows.of_size("5 minutes")  # wrong
orders.group_by_key().windowed_by(5)  # wrong
users = builder.table("users", Consumed(key=serdes.string(), value=serdes.json(Order)))
users.group_by(lambda user, order: order.amount)  # wrong
by_amount = users.group_by(lambda user, order: (order.amount, order))
by_amount.aggregate(int, lambda amount, order, total: total + 1)  # wrong
by_amount.reduce(lambda total, order: order.amount, lambda total, order: total)  # wrong
users.outer_join(users, lambda one, other: one.amount)  # wrong
users.suppress(5)  # wrong
users.transform_values(lambda order: order.amount)  # wrong
minutes = orders.group_by_key().windowed_by(TimeWindows.of_size(5))
minutes.aggregate(int, lambda user, order: order.amount)  # wrong
minutes.count().to_stream(lambda windowed, count: windowed.window)  # wrong
minutes.emit_strategy("on close")  # wrong
minutes.reduce(lambda one, other: other.amount)  # wrong

# Processors


class Total(Processor[str, Order, str, int]):
    def process(self, record: Record[str, Order]) -> None:
        self.context.forward(record)  # wrong
        self.context.forward(record.with_value(record.value.amount))
        self.context.schedule(10, "stream_time", print)  # wrong
        self.context.schedule(1.5, PunctuationType.STREAM_TIME, print)  # wrong
        self.context.getStateStore("totals")  # wrong


class Users(FixedKeyProcessor[str, Order, str]):
    def process(self, record: FixedKeyRecord[str, Order]) -> None:
        record.with_key("other")  # wrong
        self.context.forward(record)  # wrong


numbers.process(Total)  # wrong
orders.process(Users)  # wrong
orders.process_values(Total)  # wrong
orders.process(Total())  # wrong
wrong_result: KStream[str, str] = orders.process(Total)  # wrong

# Joins of streams

near = JoinWindows.of_time_difference(5)
people = builder.table("people", Consumed(key=serdes.string(), value=serdes.string()))
prices = builder.global_table("prices", Consumed(key=serdes.long(), value=serdes.double()))
by_number = builder.stream("by-number", Consumed(key=serdes.long(), value=serdes.long()))

orders.join(by_number, max, near)  # wrong
orders.left_join(people, lambda order, name: name.upper())  # wrong
orders.outer_join(numbers, lambda order, number: order.amount, near)  # wrong
orders.outer_join(people, lambda order, name: 5, near)  # wrong
orders.join(prices, lambda user, order: user, lambda order, price: price)  # wrong
orders.join(people, lambda order, name: name, near)  # wrong

# Tests


def check(driver: TopologyTestDriver, topic: TestInputTopic[str, Order]) -> None:
    topic.pipe_input("user", 5)  # wrong
    topic.pipe_input(5, Order("user", 5))  # wrong
    driver.create_input_topic("orders", serdes.string(), serdes.string).pipe_input("x")  # wrong


TopologyTestDriver(builder)  # wrong


class NarrowOutput(Processor[str, Order, str, Order | int]):
    def process(self, record: Record[str, Order]) -> None:
        self.context.forward(record)
        self.context.forward(record.with_value("text"))  # wrong
        narrower: Record[str, Order] = Record[str, Order | int]("a", 5, 5)  # wrong
        self.context.forward(narrower)


def wrong_extractor(record: Record[str, Order], partition_time: int) -> int:
    return record.timestamp


Consumed(timestamp_extractor=wrong_extractor)  # wrong
