"""An aggregate of a grouped table can be grouped again."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    by_value = builder.table("in").group_by(lambda key, value: (value, key)).count()
    sizes = by_value.group_by(
        lambda value, count: (str(count), value),
        Grouped(key=serdes.string(), value=serdes.string()),
    )
    sizes.count().to_stream().to("out")
    return builder.build()
