"""The stores of views keep their changelogs; only that of the table goes."""

from collections.abc import Callable
from typing import Any

from penstock import KTable, Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "reuse.ktable.source.topics"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows: KTable[Any, Any] = builder.table("rows", materialized=Materialized("rows-store"))
    rows.filter(lambda key, value: value != "y", Materialized("kept")).to_stream().to("out")
    rows.map_values(str.upper, Materialized("shouts")).to_stream().to("shouts")
    return builder.build({"topology.optimization": "reuse.ktable.source.topics"})
