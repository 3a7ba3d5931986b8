"""process() with a store that does not exist is refused when the topology is built."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Nothing, state_stores=["nowhere"]).to("out")
    return builder.build()
