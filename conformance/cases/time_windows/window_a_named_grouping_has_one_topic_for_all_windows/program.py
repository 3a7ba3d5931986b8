"""All aggregations of a named grouping share its topic, with and without windows."""

from collections.abc import Callable

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    stream = builder.stream("in", text)
    option = Grouped("words", key=serdes.string(), value=serdes.string())
    grouped = stream.group_by(lambda key, value: value, option)
    tumbling = grouped.windowed_by(TimeWindows.of_size(10))
    tumbling.count(Materialized("counts")).to_stream(lambda key, count: str(key)).to("counts")
    sessions = grouped.windowed_by(SessionWindows.of_inactivity_gap(5))
    sessions.count().to_stream(lambda key, count: str(key)).to("sessions")
    sliding = grouped.windowed_by(SlidingWindows.of_time_difference(5))
    sliding.count().to_stream(lambda key, count: str(key)).to("sliding")
    grouped.count().to_stream().to("all")
    return builder.build()
