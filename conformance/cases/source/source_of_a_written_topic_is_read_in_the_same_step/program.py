"""A chain of topics is worked off in one step, smallest timestamp first."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Shift(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(int(record.value)))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map_values(list).process(Shift).to("next")
    builder.stream("next").peek(lambda key, value: log(value)).to("last")
    builder.stream("last").peek(lambda key, value: log(value + "!")).to("out")
    return builder.build()
