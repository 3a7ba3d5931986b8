"""The result of a join joined with itself, with one store."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream("in")
    other: KStream[str, str] = builder.stream("other")
    windows = JoinWindows.of_time_difference(10)
    joined = stream.join(other, pair, windows)
    joined.join(joined, lambda left, right: f"{left}/{right}", windows).to("out")
    return builder.build({"topology.optimization": "single.store.self.join"})
