"""Each window gives one result, when it takes no more records."""

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

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    counts = (
        builder.stream("in", Consumed(key=text, value=text))
        .group_by_key()
        .windowed_by(TimeWindows.of_size(4, advance=2, grace=1))
        .count(Materialized("counts"))
    )
    written = Produced(key=text, value=serdes.long())
    counts.suppress(Suppressed.until_window_closes()).to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("out", written)
    counts.to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("raw", written)
    return builder.build()
