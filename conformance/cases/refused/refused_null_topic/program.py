"""A sink must have a topic."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology

nothing: Any = None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to(nothing)
    return builder.build()
