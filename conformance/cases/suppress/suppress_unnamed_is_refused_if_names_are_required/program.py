"""With required names, a buffer without one is refused: its changelog has none."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized[str, str]("rows")).suppress(
        Suppressed.until_time_limit(5)
    )
    return builder.build({"ensure.explicit.internal.resource.naming": True})
