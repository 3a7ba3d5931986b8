"""A fixed-key processor may forward to a child by name."""

from collections.abc import Callable

from penstock import FixedKeyProcessor, FixedKeyRecord, StreamsBuilder, Topology


class Route(FixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record.with_value("1"), record.value)
        self.context.forward(record.with_value("2"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").process_values(Route)
    stream.peek(lambda key, value: log(f"left {value}"), named="left").to("out")
    stream.peek(lambda key, value: log(f"right {value}"), named="right").to("out")
    return builder.build()
