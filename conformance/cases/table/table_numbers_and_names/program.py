"""A table uses up three numbers: its store's, if that has no name, its source's and its own."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("one").to_stream().to("out")
    builder.table("two", materialized=Materialized("two-store")).to_stream().to("out")
    builder.table("three", Consumed(name="mine")).to_stream().to("out")
    builder.table("four", Consumed(name="other"), Materialized("four-store")).to_stream().to("out")
    builder.table("five", materialized=Materialized(caching=False)).to_stream().to("out")
    builder.stream("six").to("out")
    return builder.build()
