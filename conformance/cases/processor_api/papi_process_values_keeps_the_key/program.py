"""process_values gives records whose key stays; value, time and headers may change."""

from collections.abc import Callable

from penstock import FixedKeyProcessor, FixedKeyRecord, Headers, StreamsBuilder, Topology


class Change(FixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record.with_value(f"{record.key}:{record.value}"))
        self.context.forward(record.with_timestamp(record.timestamp * 10))
        self.context.forward(record.with_headers(Headers([("h", b"new")])))
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process_values(Change).to("out")
    return builder.build()
