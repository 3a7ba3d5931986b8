"""The twin of `java/WordCounts.java`: the same program in Python, with the same names."""

from __future__ import annotations

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes

TEXT, LONG = serdes.string(), serdes.long()


def refuse(data: bytes) -> str:
    """Be unable to read."""
    raise ValueError("this half is for another")


UNREADABLE = serdes.of(str.encode, refuse)


def topology(application_id: str, *, half: bool) -> Topology:
    """Count words behind a repartition topic, which `half` of it writes and cannot read."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{application_id}-in", Consumed(TEXT, TEXT))
        .group_by(lambda key, word: word, Grouped("by-word", TEXT, UNREADABLE if half else TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(f"{application_id}-out", Produced(TEXT, LONG))
    )
    return builder.build()
