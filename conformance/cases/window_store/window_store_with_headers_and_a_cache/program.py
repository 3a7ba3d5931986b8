"""A cached window store with headers logs the last value's, a deletion those of its record."""

from collections.abc import Callable
from typing import Any

from penstock import (
    Processor,
    ProcessorContext,
    Record,
    Stores,
    Topology,
    ValueTimestampHeaders,
)

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 1_000}


class Commands(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        self._store: Any = context.get_state_store("amounts")

    def process(self, record: Record[str, str]) -> None:
        store, key, log = self._store, record.key, self._log
        start = record.timestamp // 10 * 10
        if record.value == "null":
            store.put(key, None, start)
        else:
            entry = ValueTimestampHeaders(record.value, record.timestamp + 1, record.headers)
            store.put(key, entry, start)
        log(f"fetch {shown(store.fetch(key, start))}")
        rows = [f"{start} {shown(entry)}" for start, entry in store.fetch(key, 0, 100)]
        log("windows " + "; ".join(rows))
        rows = [f"{at.key}@{at.start} {shown(entry)}" for at, entry in store.fetch_all(0, 100)]
        log("all " + "; ".join(rows))


def shown(entry: Any) -> str:
    if entry is None:
        return "none"
    headers = [
        f"{key}={'null' if value is None else value.decode()}" for key, value in entry.headers
    ]
    return f"{entry.value}@{entry.timestamp}[{','.join(headers)}]"


def topology(log: Callable[[str], None]) -> Topology:
    store = Stores.timestamped_window_store_with_headers(
        "amounts", retention=120_000, window_size=10, caching=True
    )
    return (
        Topology()
        .add_source("source", "in")
        .add_processor("commands", lambda: Commands(log), "source")
        .add_state_store(store, "commands")
    )
