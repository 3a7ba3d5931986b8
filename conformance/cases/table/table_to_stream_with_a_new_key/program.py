"""to_stream with a mapper selects a key: what is aggregated below goes through a topic."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.to_stream(lambda key, value: f"{value}!").to("out")
    table.to_stream(
        lambda key, value: f"{value}!", named="streamed"
    ).group_by_key().count().to_stream().to("counts")
    table.to_stream().group_by_key().count().to_stream().to("same-key")
    return builder.build()
