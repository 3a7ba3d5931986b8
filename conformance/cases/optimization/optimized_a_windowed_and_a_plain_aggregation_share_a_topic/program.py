"""Whether an aggregation has windows is of no matter to the topic."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, TimeWindows, Topology, serdes

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key().windowed_by(TimeWindows.of_size(10)).count().to_stream(
        lambda windowed, count: f"{windowed}"
    ).to("windows", Produced(key=serdes.string(), value=serdes.long()))
    rekeyed.group_by_key().count().to_stream().to("counts")
    return builder.build({"topology.optimization": "all"})
