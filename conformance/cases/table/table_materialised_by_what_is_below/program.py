"""A table gets a store when something below looks rows up or needs old values, not before."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    bare, grouped = builder.table("bare"), builder.table("grouped")
    joined, held = builder.table("joined"), builder.table("held")
    bare.filter(lambda key, value: True).map_values(str.upper).to_stream().to("out")
    grouped.map_values(str.upper).group_by(lambda key, value: (value, key)).count().to_stream().to(
        "counts"
    )
    joined.filter(lambda key, value: True).join(
        bare.map_values(str), lambda one, other: one + other
    ).to_stream().to("both")
    held.suppress(Suppressed.until_time_limit(1)).to_stream().to("late")
    return builder.build()
