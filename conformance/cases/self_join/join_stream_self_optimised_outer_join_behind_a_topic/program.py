"""An outer join of a repartitioned stream with itself, rewritten: records without a key still
go through the topic, and are dropped behind it.
"""

from collections.abc import Callable

from penstock import JoinWindows, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").repartition()
    stream.outer_join(stream, pair, JoinWindows.of_time_difference(10)).to("out")
    return builder.build({"topology.optimization": "all"})
