"""The serdes of a repartition are used to write the internal topic and to read it again."""

from collections.abc import Callable

from penstock import Produced, Repartitioned, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .map(lambda key, value: (int(key), len(value)))
        .repartition(Repartitioned(name="numbers", key=serdes.integer(), value=serdes.long()))
        .map(lambda key, value: (str(key + 1), str(value + 1)))
        .to("out", Produced(key=serdes.string(), value=serdes.string()))
    )
    return builder.build()
