"""Records without a value are treated as the kind of windows treats them."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+").cogroup(
        two, lambda key, value, total: f"{total}-"
    )
    sums = cogrouped.windowed_by(SlidingWindows.of_time_difference(10)).aggregate(
        lambda: "0", Materialized("sums", key=serdes.string())
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()
