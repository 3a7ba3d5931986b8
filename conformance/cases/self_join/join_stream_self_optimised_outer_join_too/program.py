"""An outer join of a stream with itself is rewritten too; records without a key are dropped
then.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream("in")
    stream.outer_join(stream, pair, JoinWindows.of_time_difference(10)).to("out")
    return builder.build({"topology.optimization": "single.store.self.join"})
