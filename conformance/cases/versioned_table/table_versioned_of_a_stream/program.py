"""A stream can become a versioned table."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").select_key(lambda key, value: key or "none")
    table = stream.to_table(Materialized("rows", history_retention=60_000))
    table.to_stream().to("out")
    table.group_by(lambda key, value: (value, key)).count().to_stream().to("counts")
    return builder.build()
