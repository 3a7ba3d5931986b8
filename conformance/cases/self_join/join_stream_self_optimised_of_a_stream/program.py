"""A stream joined with itself, with one store for both sides: the same pairs, other order."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream("in")
    stream.join(stream, pair, JoinWindows.of_time_difference(10, grace=5)).to("out")
    return builder.build({"topology.optimization": "single.store.self.join"})
