"""After a failed step close is still called on every processor."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Fail(Processor[str, str, str, str]):
    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        self.log(f"process {self.name}")
        if record.value == self.name:
            raise ValueError("no")
        self.context.forward(record)

    def close(self) -> None:
        self.log(f"close {self.name}")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.process(lambda: Fail("left", log)).to("out")
    stream.process(lambda: Fail("right", log)).to("out")
    return builder.build()
