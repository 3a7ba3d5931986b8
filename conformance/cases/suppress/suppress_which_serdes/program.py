"""The buffer is written with the table's serdes, or the defaults."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Suppressed, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.integer(), value=serdes.long()))
    table.suppress(Suppressed.until_time_limit(2)).to_stream().to("out")
    table.map_values(str).suppress(Suppressed.until_time_limit(2)).to_stream().to("texts")
    return builder.build()
