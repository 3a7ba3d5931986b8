"""The first change of a count takes its initial 0 out of a group it never was in."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("in").group_by_key().count()
    counts.group_by(
        lambda key, count: (str(count), key), Grouped(key=serdes.string(), value=serdes.string())
    ).count().to_stream().to("out")
    return builder.build()
