"""A reducer that gives null deletes the row; the next record begins anew."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.group_by_key().reduce(
        lambda aggregate, value: None if value == "end" else aggregate + value,
        Materialized("joined"),
    ).to_stream().to("out")
    return builder.build()
