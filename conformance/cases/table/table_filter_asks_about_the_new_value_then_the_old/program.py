"""A filter with old values asks its predicate about both; the mapper above is asked about
both too.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def seen(value: str) -> str:
        log(f"map {value}")
        return value

    def even(key: str, value: str) -> bool:
        log(f"filter {value}")
        return int(value) % 2 == 0

    table = builder.table("in", materialized=Materialized[str, str]("rows"))
    table.map_values(seen).filter(even).to_stream().to("out")
    return builder.build()
