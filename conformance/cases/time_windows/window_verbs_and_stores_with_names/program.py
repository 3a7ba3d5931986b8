"""Names of nodes and stores."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    windowed = grouped.windowed_by(TimeWindows.of_size(10, advance=5))
    windowed.count(Materialized("counts"), named="counting").to_stream(named="changes").to("one")
    windowed.reduce(lambda one, other: other, named="reducing").to_stream().to("two")
    windowed.aggregate(
        lambda: "", lambda key, value, total: value, Materialized("last"), named="keeping"
    ).to_stream().to("three")
    return builder.build()
