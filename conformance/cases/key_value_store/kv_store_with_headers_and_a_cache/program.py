"""A cached store with headers logs the last value's, a deletion those of its record."""

from collections.abc import Callable
from typing import Any

from penstock import (
    Headers,
    Processor,
    ProcessorContext,
    Record,
    Stores,
    Topology,
    ValueTimestampHeaders,
    serdes,
)

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 1_000}


class Commands(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        self._store: Any = context.get_state_store("last")

    def process(self, record: Record[str, str]) -> None:
        store, key, log = self._store, record.key, self._log
        command, _, value = record.value.partition(" ")
        entry = ValueTimestampHeaders(value, record.timestamp + 1, record.headers)
        if command == "put":
            store.put(key, entry)
        elif command == "bare":
            store.put(key, ValueTimestampHeaders(value, record.timestamp, Headers()))
        elif command == "null":
            store.put(key, None)
        elif command == "absent":
            log(f"absent {shown(store.put_if_absent(key, entry))}")
        elif command == "all":
            store.put_all([(key, entry), (key + key, entry)])
        elif command == "delete":
            log(f"delete {shown(store.delete(key))}")
        log(f"get {shown(store.get(key))}")
        log("range " + "; ".join(f"{key} {shown(entry)}" for key, entry in store.range("a", "b")))
        log("prefix " + "; ".join(key for key, _ in store.prefix_scan("a", serdes.string())))


def shown(entry: Any) -> str:
    if entry is None:
        return "none"
    headers = [
        f"{key}={'null' if value is None else value.decode()}" for key, value in entry.headers
    ]
    return f"{entry.value}@{entry.timestamp}[{','.join(headers)}]"


def topology(log: Callable[[str], None]) -> Topology:
    store = Stores.timestamped_key_value_store_with_headers("last", caching=True)
    return (
        Topology()
        .add_source("source", "in")
        .add_processor("commands", lambda: Commands(log), "source")
        .add_state_store(store, "commands")
    )
