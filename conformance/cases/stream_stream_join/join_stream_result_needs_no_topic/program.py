"""What was joined is grouped by its key without another topic, value verbs between them or not."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[0])
    right: KStream[str, str] = builder.stream("right")
    joined = left.join(right, pair, JoinWindows.of_time_difference(10))
    joined.map_values(str.upper).group_by_key().count(Materialized("counts")).to_stream().to(
        "counts"
    )
    return builder.build()
