"""Below a join of windowed tables the longer grace counts."""

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


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text, written = serdes.string(), Produced(key=serdes.string(), value=serdes.string())
    short = (
        builder.stream("left", Consumed(key=text, value=text))
        .group_by_key()
        .windowed_by(TimeWindows.of_size(2))
        .count()
    )
    long = (
        builder.stream("right", Consumed(key=text, value=text))
        .group_by_key()
        .windowed_by(TimeWindows.of_size(2, grace=4))
        .count()
    )
    both = short.outer_join(long, joined, Materialized(value=text))
    both.suppress(Suppressed.until_window_closes()).to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("out", written)
    both.to_stream().map(
        lambda window, count: (f"[{window.key}@{window.start}/{window.end}]", count)
    ).to("raw", written)
    return builder.build()
