"""Overdue records come out at most once in an interval of wall-clock time, 1000 ms unless a
test says otherwise.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


CONFIG: dict[str, object] = {"__emit.interval.ms.kstreams.outer.join.spurious.results.fix__": 1000}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=0)
    left.outer_join(right, pair, windows).to("out")
    return builder.build()
