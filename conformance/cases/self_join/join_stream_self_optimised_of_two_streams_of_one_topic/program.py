"""Two streams of one topic share their source, and with it their join is a self join."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one: KStream[str, str] = builder.stream("in")
    two: KStream[str, str] = builder.stream("in")
    one.join(two, pair, JoinWindows.of_time_difference(10)).to("out")
    return builder.build({"topology.optimization": "single.store.self.join"})
