"""Two streams in overlapping windows with grace."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    windows = TimeWindows.of_size(10, advance=5, grace=5)
    sums = cogrouped.windowed_by(windows).aggregate(
        lambda: "0", Materialized("sums", key=serdes.string())
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()
