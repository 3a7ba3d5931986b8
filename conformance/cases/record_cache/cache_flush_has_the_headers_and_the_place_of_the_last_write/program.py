"""What is forwarded at a flush has the headers of the record of the last write; its
processors see where that was.
"""

from collections.abc import Callable

from penstock import Materialized, Processor, Record, StreamsBuilder, Topology


class Where(Processor[str, int, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, int]) -> None:
        place = self.context.record_metadata
        self.log(f"{place.topic} {place.partition} {place.offset} {record.timestamp}")
        self.context.forward(record.with_value(str(record.value)))


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(str.split)
    counts = words.group_by_key().count(Materialized("counts"))
    counts.to_stream().process(lambda: Where(log)).to("out")
    return builder.build()
