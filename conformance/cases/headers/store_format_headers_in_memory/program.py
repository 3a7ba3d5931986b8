"""`dsl.store.format=HEADERS` changes nothing for stores in memory, and nothing for versions."""

from collections.abc import Callable

from penstock import Materialized, SessionWindows, StreamsBuilder, Topology

CONFIG = {
    "dsl.store.format": "HEADERS",
    "dsl.store.suppliers.class": "in_memory",
    "statestore.cache.max.bytes": 10_000,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.reduce(lambda one, other: one + other, Materialized("reduced")).to_stream().to(
        "reduced"
    )
    grouped.windowed_by(SessionWindows.of_inactivity_gap(10)).reduce(
        lambda one, other: one + other, Materialized("sessions")
    ).to_stream().map(lambda key, value: (key.key, value)).to("sessions")
    builder.table(
        "rows", materialized=Materialized("versions", history_retention=1000)
    ).to_stream().to("rows-out")
    return builder.build()
