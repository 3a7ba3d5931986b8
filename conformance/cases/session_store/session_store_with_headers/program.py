"""A session store with headers keeps those of each value and logs them as headers."""

from collections.abc import Callable
from typing import Any

from penstock import (
    AggregationWithHeaders,
    Processor,
    ProcessorContext,
    Record,
    Stores,
    Topology,
    Windowed,
)


class Commands(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        self._store: Any = context.get_state_store("amounts")

    def process(self, record: Record[str, str]) -> None:
        store, key, log = self._store, record.key, self._log
        session = Windowed(key, record.timestamp // 10 * 10, record.timestamp // 10 * 10 + 5)
        if record.value == "null":
            store.put(session, None)
        elif record.value == "remove":
            store.remove(session)
        else:
            store.put(session, AggregationWithHeaders(record.value, record.headers))
        log(f"session {shown(store.fetch_session(key, session.start, session.end))}")
        rows = [f"{at.start} {shown(entry)}" for at, entry in store.find_sessions(key, 0, 100)]
        log("sessions " + "; ".join(rows))
        rows = [f"{at.key}@{at.end} {shown(entry)}" for at, entry in store.fetch_range("a", "b")]
        log("all " + "; ".join(rows))


def shown(entry: Any) -> str:
    if entry is None:
        return "none"
    headers = [
        f"{key}={'null' if value is None else value.decode()}" for key, value in entry.headers
    ]
    return f"{entry.aggregation}[{','.join(headers)}]"


def topology(log: Callable[[str], None]) -> Topology:
    store = Stores.session_store_with_headers("amounts", retention=120_000, caching=False)
    return (
        Topology()
        .add_source("source", "in")
        .add_processor("commands", lambda: Commands(log), "source")
        .add_state_store(store, "commands")
    )
