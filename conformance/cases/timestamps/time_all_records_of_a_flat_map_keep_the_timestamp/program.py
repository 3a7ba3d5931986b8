"""Every record that comes from one record has its timestamp, also behind a repartition."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .flat_map(lambda key, value: [(letter, value) for letter in value])
        .repartition(Repartitioned(name="letters"))
        .flat_map_values(lambda value: [value, value[::-1]])
        .to("out")
    )
    return builder.build()
