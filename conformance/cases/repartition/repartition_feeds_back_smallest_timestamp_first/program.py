"""Records waiting in two internal topics are taken by timestamp."""

from collections.abc import Callable

from penstock import Processor, Record, Repartitioned, StreamsBuilder, Topology


class Shift(Processor[str, str, str, str]):
    @staticmethod
    def by(ms: int) -> Callable[[], "Shift"]:
        return lambda: Shift(ms)

    def __init__(self, ms: int) -> None:
        self.ms = ms

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp + self.ms))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.process(Shift.by(20)).repartition(Repartitioned(name="later")).for_each(
        lambda key, value: log(f"later {value}")
    )
    stream.process(Shift.by(10)).repartition(Repartitioned(name="sooner")).for_each(
        lambda key, value: log(f"sooner {value}")
    )
    return builder.build()
