"""What is let out has the place of the record that changed it last."""

from collections.abc import Callable
from typing import Any

from penstock import Processor, Produced, StreamsBuilder, Suppressed, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Place(Processor[Any, Any, Any, Any]):
        def process(self, record: Any) -> None:
            metadata = self.context.record_metadata
            place = f"{metadata.topic} {metadata.partition} {metadata.offset}"
            log(f"{record.key} {place} {record.timestamp}")
            self.context.forward(record)

    held = builder.table("in").suppress(Suppressed.until_time_limit(2))
    held.to_stream().process(Place).to("out", Produced(key=serdes.string(), value=serdes.string()))
    return builder.build()
