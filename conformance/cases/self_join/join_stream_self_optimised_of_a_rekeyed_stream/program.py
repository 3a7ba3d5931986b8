"""A rekeyed stream joined with itself, with one store."""

from collections.abc import Callable

from penstock import JoinWindows, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").select_key(lambda key, value: key)
    stream.join(stream, pair, JoinWindows.of_time_difference(10)).to("out")
    return builder.build({"topology.optimization": "single.store.self.join"})
