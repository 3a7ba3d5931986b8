"""The workloads: what each reads, how many records, and how its result is compared.

What is done with the records is in `topologies.py`, `java/Topologies.java` and `rivals/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from benchmarks.data import Feed

Kind: TypeAlias = Literal["table", "stream"]
"""A table is compared by the last value of each key, a stream by all its records in any order."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What all contenders do alike. `records` is how many, so that the slower of Penstock and Java
    works for 10 to 20 seconds after the warm-up on two cores.
    """

    name: str
    title: str
    topology: str
    records: int
    feeds: Callable[[int], tuple[Feed, ...]]
    output: Kind = "table"

    def inputs(self, records: int | None = None) -> tuple[Feed, ...]:
        """Return the input topics, for `records` in place of the usual number."""
        return self.feeds(records or self.records)


def orders_of(users: int, partitions: int = 4) -> Callable[[int], tuple[Feed, ...]]:
    """Read one topic of orders."""
    return lambda records: (Feed("orders", records, users, partitions),)


def _with_profiles(records: int) -> tuple[Feed, ...]:
    users = 10_000
    return Feed("orders", records, users), Feed("profiles", users + records // 10, users)


def _with_payments(records: int) -> tuple[Feed, ...]:
    half = records // 2
    return Feed("purchases", half, 10_000), Feed("payments", half, 10_000)


_ALL = (
    Workload(
        "filter-map", "JSON filter + map", "filter-map", 4_200_000, orders_of(10_000), "stream"
    ),
    Workload("count-10k", "count, 10 k keys", "count", 4_000_000, orders_of(10_000)),
    Workload("count-1m", "count, 1 M keys", "count", 800_000, orders_of(1_000_000)),
    Workload("tumbling", "tumbling 1 min count", "tumbling", 1_800_000, orders_of(10_000)),
    Workload("hopping", "hopping 1 min / 10 s sum", "hopping", 420_000, orders_of(10_000)),
    Workload("session", "session aggregate", "session", 400_000, orders_of(10_000)),
    Workload("table-join", "stream-table join", "table-join", 2_600_000, _with_profiles, "stream"),
    Workload(
        "stream-join", "stream-stream join 30 s", "stream-join", 800_000, _with_payments, "stream"
    ),
    Workload("rekey", "re-key + aggregate", "rekey", 2_000_000, orders_of(10_000)),
    Workload("fraud", "fraud application", "fraud", 1_200_000, orders_of(10_000)),
)

WORKLOADS: Mapping[str, Workload] = {workload.name: workload for workload in _ALL}
