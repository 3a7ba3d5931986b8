"""A record that waited has its own place and headers when it is joined, and the one in hand has
its own again afterwards.
"""

from collections.abc import Callable

from penstock import (
    Joined,
    KStream,
    KTable,
    Materialized,
    Processor,
    Record,
    StreamsBuilder,
    Topology,
)


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Place(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            metadata = self.context.record_metadata
            assert metadata is not None
            log(f"{record.value} {metadata.topic} {metadata.offset} {record.timestamp}")
            self.context.forward(record)

    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table(
        "right", materialized=Materialized("rows", history_retention=600_000)
    )
    left.left_join(right, pair, Joined("joined", grace=5)).process(Place).to("out")
    return builder.build()
