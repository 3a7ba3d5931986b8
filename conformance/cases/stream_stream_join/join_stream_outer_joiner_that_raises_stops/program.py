"""A joiner that raises: the task stops."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def joined(left: str | None, right: str | None) -> str:
        log(f"{left} and {right}")
        if left == "bad" or right == "bad":
            raise ValueError(left)
        return f"{left}-{right}"

    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    left.outer_join(right, joined, JoinWindows.of_time_difference(5)).to("out")
    return builder.build()
