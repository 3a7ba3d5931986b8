"""A mapper may return null or another type; one that throws ends the run with StreamsException."""

from collections.abc import Callable
from typing import Any

from penstock import Produced, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .map_values(lambda value: None if value is None else int(value))
        .peek(lambda key, value: log(f"{key}={'null' if value is None else value}"))
        .to("out", Produced[Any, Any](key=serdes.string(), value=serdes.integer()))
    )
    return builder.build()
