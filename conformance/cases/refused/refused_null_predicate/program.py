"""A filter must have a predicate."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology

nothing: Any = None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(nothing).to("out")
    return builder.build()
