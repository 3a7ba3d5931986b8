"""A rekeyed stream and another in windows."""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by(
        lambda key, value: value, Grouped("mine", key=serdes.string(), value=serdes.string())
    )
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    sums = cogrouped.windowed_by(TimeWindows.of_size(10)).aggregate(
        lambda: "0", Materialized("sums", key=serdes.string())
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()
