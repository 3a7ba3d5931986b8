"""The changes of a table under new keys are a change of key like any other."""

from collections.abc import Callable
from typing import Any

from penstock import KTable, Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows: KTable[Any, Any] = builder.table("rows", materialized=Materialized("rows-store"))
    rekeyed = rows.to_stream(lambda key, value: f"{value}")
    rekeyed.group_by_key().count().to_stream().to("counts")
    rekeyed.group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
