"""What a filter holds back does not move the time of the aggregation below it."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    stream = builder.stream("in", text)
    early = stream.filter(lambda key, value: value != "x").group_by_key()
    early.windowed_by(TimeWindows.of_size(10)).count(Materialized("some")).to_stream(
        lambda key, count: str(key)
    ).to("some")
    stream.group_by_key().windowed_by(TimeWindows.of_size(10)).count(Materialized("all")).to_stream(
        lambda key, count: str(key)
    ).to("all")
    return builder.build()
