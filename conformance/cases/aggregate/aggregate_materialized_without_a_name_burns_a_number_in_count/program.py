"""count(Materialized) without a name uses up a number that reduce and aggregate do not."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(Materialized(value=serdes.long())).to_stream().to("counts")
    text = Materialized[str, str](value=serdes.string())
    grouped.reduce(lambda aggregate, value: value, text).to_stream().to("latest")
    grouped.aggregate(lambda: "", lambda key, value, total: total + value, text).to_stream().to(
        "totals"
    )
    grouped.count().to_stream().to("counts-again")
    return builder.build()
