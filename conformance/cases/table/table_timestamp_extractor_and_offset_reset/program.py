"""A table's source takes the options of Consumed."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    source = Consumed[str, str](
        timestamp_extractor=lambda record, partition_time: int(record.value), offset_reset="latest"
    )
    builder.table("in", source, Materialized("rows")).to_stream().to("out")
    return builder.build()
