"""Without Grouped the defaults write the topic, whatever the table's serdes are."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.long()))
    table.group_by(lambda key, value: (key[:1], str(value))).reduce(
        lambda total, value: total + value, lambda total, value: total + "-"
    ).to_stream().to("out")
    return builder.build()
