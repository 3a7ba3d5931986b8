"""A processor that changes the timestamp moves stream time only where the record is read again."""

from collections.abc import Callable

from penstock import Processor, Record, Repartitioned, StreamsBuilder, Topology


class Later(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp + 100))


class Clock(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None], name: str) -> None:
        self.log = log
        self.name = name

    def process(self, record: Record[str, str]) -> None:
        self.log(f"{self.name} {record.timestamp} {self.context.current_stream_time_ms}")
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .process(Later)
        .process(lambda: Clock(log, "before"))
        .repartition(Repartitioned(name="again"))
        .process(lambda: Clock(log, "after"))
        .to("out")
    )
    return builder.build()
