"""The grace is that of the windows above, through views."""

from collections.abc import Callable

from penstock import (
    Consumed,
    Materialized,
    Produced,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    counts = (
        builder.stream("in", Consumed(key=text, value=text))
        .group_by_key()
        .windowed_by(TimeWindows.of_size(2, grace=1))
        .count(Materialized("counts"))
    )
    written = Produced(key=text, value=serdes.long())
    counts.filter(lambda key, value: value != 2).map_values(
        lambda value: value * 10, Materialized(value=serdes.long())
    ).suppress(Suppressed.until_window_closes()).to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("out", written)
    return builder.build()
