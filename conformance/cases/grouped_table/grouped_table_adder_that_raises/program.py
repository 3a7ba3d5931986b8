"""An adder that raises leaves the aggregate as it was."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def picky(what: str, value: str) -> str:
        if value == "bad" and what == "adder":
            raise ValueError(value)
        return value

    groups = builder.table("in").group_by(lambda key, value: ("g", picky("mapper", value)))
    groups.reduce(
        lambda total, value: total + "+" + picky("adder", value),
        lambda total, value: total + "-" + picky("subtractor", value),
    ).to_stream().to("out")
    return builder.build()
