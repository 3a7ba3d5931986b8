"""A merge must have another stream."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology

nothing: Any = None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").merge(nothing).to("out")
    return builder.build()
