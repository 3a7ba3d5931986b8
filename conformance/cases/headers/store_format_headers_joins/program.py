"""With `dsl.store.format=HEADERS` joins keep and forward what they always do: the headers of both
sides of a join of streams, and of subscriptions, are in their changelogs.
"""

from collections.abc import Callable

from penstock import JoinWindows, KTable, Materialized, StreamJoined, StreamsBuilder, Topology

CONFIG = {"dsl.store.format": "HEADERS"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.stream("right")
    windows = JoinWindows.of_time_difference(10)
    stores: StreamJoined[str, str, str] = StreamJoined(store_name="both")
    left.left_join(right, lambda one, other: f"{one}+{other}", windows, stores).to("streams")
    ours: KTable[str, str] = builder.table("ours", materialized=Materialized("ours"))
    theirs: KTable[str, str] = builder.table("theirs", materialized=Materialized("theirs"))
    ours.outer_join(
        theirs, lambda one, other: f"{one}|{other}", materialized=Materialized("joined")
    ).to_stream().to("tables")
    left.join(ours, lambda one, other: f"{one}/{other}").to("looked-up")
    ours.left_join(
        theirs,
        lambda value: value,
        lambda one, other: f"{one}>{other}",
        materialized=Materialized("foreign"),
    ).to_stream().to("foreign-out")
    return builder.build()
