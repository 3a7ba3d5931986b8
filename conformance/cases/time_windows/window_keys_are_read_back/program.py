"""Windowed keys written to a topic are read with the serde that knows the size of the windows."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text, number = serdes.string(), serdes.long()
    keys = serdes.time_windowed(text, 10)
    stream = builder.stream("in", Consumed(key=text, value=text))
    counts = (
        stream.group_by_key().windowed_by(TimeWindows.of_size(10)).count(Materialized("counts"))
    )
    counts.to_stream().to("middle")
    back = builder.stream("middle", Consumed(key=keys, value=number))
    back.map(lambda key, count: (f"{key.key} {key.start} {key.end}", str(count))).to("out")
    return builder.build()
