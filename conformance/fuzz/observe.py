"""What Python makes of a description, and how it differs from what Java makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance import differences, harness
from conformance.fuzz.description import Description
from conformance.fuzz.functions import text
from conformance.fuzz.interpret import DescribedProgram
from conformance.harness import Line, Observation
from penstock.stores import AggregationWithHeaders, ValueAndTimestamp, ValueTimestampHeaders
from penstock.testing import TopologyTestDriver

# Parts of the names of stores that joins keep for themselves.
_NOT_THE_PROGRAM_S = ("shared", "subscription")


def observe(description: Description, expected: list[Line]) -> Observation:
    """Run the description; `expected` only decides which Java name an error is given, and which
    stores Java could not read through.
    """
    unreadable = expected[-1].get("unreadable", []) if expected else []

    def look(driver: TopologyTestDriver) -> Line:
        try:
            stores = _look_into_stores(driver)
        except Exception as error:
            # A store that cannot be read through is a difference, and no end of the whole run.
            return {"stores": f"cannot be read: {type(error).__name__}: {error}"}
        read = {name: rows for name, rows in stores.items() if name not in unreadable}
        parts = {"stores": read, "unreadable": unreadable}
        return {name: part for name, part in parts.items() if part}

    return harness.observe(lambda: DescribedProgram(description), description.input, expected, look)


def differing(description: Description, expected: Observation) -> list[str]:
    """Say in lines how Python differs from `expected`, which Java made of the description."""
    seen = observe(description, expected.lines)
    return differences.between(description.input, expected, seen)


def _look_into_stores(driver: TopologyTestDriver) -> dict[str, list[list[Any]]]:
    """Write the rows of all stores whose keys and values are the program's."""
    stores: dict[str, list[list[Any]]] = {}
    for name, store in sorted(driver.get_all_state_stores().items()):
        if not any(part in name.lower() for part in _NOT_THE_PROGRAM_S):
            rows = _rows(store)
            if rows is not None:
                stores[name] = [[text(key), *_row(value)] for key, value in rows]
    return stores


def _rows(store: Any) -> Iterator[tuple[Any, Any]] | None:
    """Give the rows of a store, None if it is of a kind that cannot be read through."""
    if hasattr(store, "fetch_session"):
        rows: Iterator[tuple[Any, Any]] = store.fetch_range(None, None)
        return rows
    return store.all() if hasattr(store, "all") else None


def _header(pair: tuple[str, bytes | None]) -> str:
    key, value = pair
    return f"{key}={'null' if value is None else value.decode()}"


def _row(value: Any) -> list[Any]:
    if isinstance(value, ValueAndTimestamp):
        return [text(value.value), value.timestamp]
    if isinstance(value, ValueTimestampHeaders):
        return [text(value.value), value.timestamp, *map(_header, value.headers)]
    if isinstance(value, AggregationWithHeaders):
        return [text(value.aggregation), *map(_header, value.headers)]
    return [text(value)]
