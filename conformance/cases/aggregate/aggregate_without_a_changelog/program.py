"""With logging disabled there is no changelog; one in memory is written as any other."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(Materialized("silent", logging=False)).to_stream().to("silent")
    grouped.count(Materialized("memory", store="in_memory")).to_stream().to("memory")
    grouped.count(
        Materialized("disk", store="rocksdb", logging={"retention.ms": "1000"})
    ).to_stream().to("disk")
    return builder.build()
