"""A deletion has the headers of the record that its processor has in hand, none in a timer."""

from collections.abc import Callable
from typing import Any

from penstock import (
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    Stores,
    Topology,
)


class Parent(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        self._context = context
        self._store: Any = context.get_state_store("mine")
        context.schedule(10, PunctuationType.STREAM_TIME, self._delete)

    def process(self, record: Record[str, str]) -> None:
        forwarded = record.with_timestamp(record.timestamp + 1)
        forwarded.headers.add("child", b"1")
        self._context.forward(forwarded)
        self._store.delete(record.key)

    def _delete(self, timestamp: int) -> None:
        self._store.delete("timer")


class Child(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        self._store: Any = context.get_state_store("theirs")

    def process(self, record: Record[str, str]) -> None:
        self._store.delete(record.key)


def topology(log: Callable[[str], None]) -> Topology:
    return (
        Topology()
        .add_source("source", "in")
        .add_processor("parent", Parent, "source")
        .add_processor("child", Child, "parent")
        .add_state_store(Stores.timestamped_key_value_store_with_headers("mine"), "parent")
        .add_state_store(Stores.timestamped_key_value_store_with_headers("theirs"), "child")
    )
