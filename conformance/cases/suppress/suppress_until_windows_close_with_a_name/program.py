"""Names of the node, its store and its changelog."""

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
    counts.suppress(Suppressed.until_window_closes(name="final")).to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("out", written)
    return builder.build()
