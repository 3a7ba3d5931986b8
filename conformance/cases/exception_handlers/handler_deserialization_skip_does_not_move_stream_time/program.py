"""A record that cannot be read moves neither stream time nor partition time, but has an offset."""

from collections.abc import Callable

from penstock import Consumed, Processor, Record, StreamsBuilder, Topology, serdes
from penstock.handlers import LogAndContinueExceptionHandler
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


class Clock(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        now = f"{self.context.current_stream_time_ms} at {metadata.offset}"
        self.context.forward(record.with_value(now))


CONFIG: dict[str, object] = {"deserialization.exception.handler": LogAndContinueExceptionHandler}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=serdes.string(), value=Picky())).process(Clock).to("out")
    return builder.build()
