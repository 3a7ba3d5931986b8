"""The stores that a worker holds whole: fed record by record, committed with their positions."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Materialized, Processor, Record, Stores, StreamsBuilder, serdes
from penstock._engine.planner.plan import plan_global_stores
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.records import RawRecord
from penstock._engine.state.memory.key_value import MemoryStore
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

TEXT = serdes.string()
READ = Consumed(key=TEXT, value=TEXT)


class Keep(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        if record.value == "bad":
            raise ValueError(record.value)
        known = self.context.get_state_store("rows").get(record.key)
        kept = f"{record.value} {record.timestamp} {known and known.value}"
        self.context.get_state_store("kept").put(record.key, kept)


class Engines:
    """One engine for each store, for a look inside."""

    def __init__(self) -> None:
        self.made: dict[str, MemoryStore] = {}

    def __call__(self, plan: Any) -> MemoryStore:
        return self.made.setdefault(plan.builder.name, MemoryStore())


def opened(engines: Engines, **config: Any) -> GlobalTask:
    builder = StreamsBuilder()
    builder.global_table("table", READ, Materialized("rows"))
    builder.global_table("numbers", Consumed(key=TEXT, value=serdes.long()))
    store = Stores.in_memory_key_value_store("kept", key=TEXT, value=TEXT)
    builder.add_global_store(store, "records", READ, Keep)
    plan = plan_global_stores(builder.build())
    assert plan is not None
    task = GlobalTask(plan, StreamsConfig({"application.id": "app", **config}), engines)
    task.start(0)
    return task


def raw(key: str | None, value: str | None, timestamp: int = 5) -> RawRecord:
    return (0, timestamp, key and key.encode(), value and value.encode(), ())  # type: ignore[return-value]


def test_records_go_to_the_store_of_their_topic_and_processors_see_all_stores() -> None:
    task = opened(Engines())
    task.update("table", 0, raw("a", "row"), 0)
    task.update("records", 3, raw("a", "x", 7), 0)
    assert task.store("kept").get("a") == "x 7 row"
    assert (task.topics(), task.is_table("table"), task.is_table("records")) == (
        ["table", "numbers", "records"],
        True,
        False,
    )
    assert (task.store_of("table").name, task.store_of("records").name) == ("rows", "kept")


def test_a_commit_brings_rows_and_positions_into_the_engines() -> None:
    engines = Engines()
    task = opened(engines)
    task.update("table", 0, raw("a", "row", 9), 0)
    assert engines.made["rows"].get(b"a") is None
    task.commit({**dict.fromkeys(engines.made, 0), "rows": 4, "kept": 2})
    assert engines.made["rows"].get(b"a") == (9).to_bytes(8, "big") + b"row"
    assert [engines.made[name].changelog_offset() for name in ("rows", "kept")] == [4, 2]


def test_records_without_a_key_are_dropped_and_counted() -> None:
    task = opened(Engines())
    task.update("table", 0, raw(None, "row"), 0)
    assert task.counters.dropped_records == 1


def test_a_processor_that_raises_stops_it_whatever_the_handler_says() -> None:
    going_on = {"processing.exception.handler": "LogAndContinueProcessingExceptionHandler"}
    task = opened(Engines(), **going_on)
    with pytest.raises(StreamsError, match="ValueError: bad"):
        task.update("records", 0, raw("a", "bad"), 0)


def test_what_cannot_be_read_is_the_handler_s_business() -> None:
    broken: RawRecord = (0, 5, b"a", b"too short", ())
    with pytest.raises(StreamsError, match="'numbers'"):
        opened(Engines()).update("numbers", 0, broken, 0)
    skipping = {"deserialization.exception.handler": "LogAndContinueExceptionHandler"}
    task = opened(Engines(), **skipping)
    task.update("numbers", 0, broken, 0)
    assert task.counters.dropped_records == 1
