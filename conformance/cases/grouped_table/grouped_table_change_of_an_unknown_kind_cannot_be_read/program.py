"""What is no change in the topic is handled like any record that cannot be read."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueExceptionHandler

CONFIG: dict[str, object] = {
    "deserialization.exception.handler": LogAndContinueExceptionHandler,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: ("g", value), Grouped("moves"))
    groups.count().to_stream().to("out")
    return builder.build()
