"""A join with a suppressed windowed table looks up what was let out."""

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

    final = counts.suppress(Suppressed.until_window_closes())
    counts.left_join(
        final, lambda now, last: f"{now}-{last}", Materialized(value=text)
    ).to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("out", Produced(key=text, value=text))
    return builder.build()
