"""With caches the moves of a row come at the flush."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", materialized=Materialized[str, str]("rows"))
    table.group_by(lambda key, value: (value, key)).count(Materialized("counts")).to_stream().to(
        "out"
    )
    return builder.build()
