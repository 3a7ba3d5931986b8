"""Fifteen topics: the hash set has grown."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

TOPICS = "ocean lamp tiger stone apple river cloud music paper green light north sugar table voice"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(TOPICS.split()).to("out")
    return builder.build()
