"""The supplier of process() must give a new processor each time."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    processor = Nothing()
    builder.stream("in").process(lambda: processor).to("out")
    return builder.build()
