"""A joiner that raises: with a handler that goes on, the record is still kept for later pairs,
the pairs behind the failed one are lost.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


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
