"""The stores of filters and mapped tables are cached like any other."""

from collections.abc import Callable
from typing import Any

from penstock import Materialized, StreamsBuilder, Topology


def words(line: str) -> list[Any]:
    return [None if word == "-" else word for word in line.split()]


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    values = builder.stream("in").flat_map_values(words)
    table = values.to_table(Materialized("rows", caching=False))
    table.filter(lambda key, value: value != "x", Materialized("kept")).to_stream().to("kept")
    table.map_values(lambda value: value * 2, Materialized("doubled")).to_stream().to("doubled")
    table.to_stream().to("all")
    return builder.build()
