"""A sink without serdes uses those of the source as long as no verb changed the type."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    source = builder.stream("in", Consumed(key=serdes.integer(), value=serdes.long()))
    source.filter(lambda key, value: value > 0).peek(lambda key, value: None).to("out")
    return builder.build()
