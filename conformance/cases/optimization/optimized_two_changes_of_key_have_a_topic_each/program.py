"""Each change of key has a topic of its own."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.select_key(lambda key, value: value).group_by_key().count().to_stream().to("counts")
    stream.map(lambda key, value: (value, key)).group_by_key().reduce(
        lambda one, two: one + two
    ).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
