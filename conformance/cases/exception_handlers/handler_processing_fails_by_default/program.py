"""An exception in a verb stops the task."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map_values(fail_on_bad).to("out")
    return builder.build()
