"""The wall-clock extractor gives another time than the record's, a negative one included."""

from collections.abc import Callable

from penstock import Consumed, KStream, Processor, Record, StreamsBuilder, Topology
from penstock.timestamps import WallclockTimestampExtractor


class Compare(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        told = str(record.timestamp) == record.value
        self.context.forward(record.with_value("same" if told else "other").with_timestamp(0))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    extractor = WallclockTimestampExtractor()
    source: KStream[str, str] = builder.stream("in", Consumed(timestamp_extractor=extractor))
    source.process(Compare).to("out")
    return builder.build()
