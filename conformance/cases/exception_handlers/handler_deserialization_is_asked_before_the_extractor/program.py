"""The timestamp extractor is not asked about a record that cannot be read."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes
from penstock.handlers import LogAndContinueExceptionHandler
from penstock.record import ConsumerRecord
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


CONFIG: dict[str, object] = {"deserialization.exception.handler": LogAndContinueExceptionHandler}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        log(record.value)
        return record.timestamp

    builder.stream("in", Consumed(serdes.string(), Picky(), timestamp_extractor=extractor)).to(
        "out"
    )
    return builder.build()
