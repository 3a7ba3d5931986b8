"""A processor of the DSL may name the verb that follows it."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Route(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record, "right")
        self.context.forward(record, "left")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").process(Route, named="route")
    stream.map_values(lambda value: "L" + value, named="left").to("out")
    stream.map_values(lambda value: "R" + value, named="right").to("out")
    return builder.build()
