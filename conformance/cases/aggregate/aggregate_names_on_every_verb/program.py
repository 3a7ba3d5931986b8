"""Named names the node; the number it would have had is used up."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(named="counting").to_stream(named="stream-of-counts").to("counts")
    grouped.count(Materialized("counts"), named="counting-again").to_stream().to("counts")
    grouped.reduce(lambda aggregate, value: value, named="reducing").to_stream().to("latest")
    grouped.reduce(lambda aggregate, value: value, Materialized("latest"), named="reducing-again")
    grouped.aggregate(
        lambda: "",
        lambda key, value, total: total + value,
        Materialized("totals"),
        named="aggregating",
    ).to_stream().to("totals")
    grouped.count().to_stream().to("counts")
    return builder.build()
