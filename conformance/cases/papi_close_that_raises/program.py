"""An exception in close is reported; the other processors are closed all the same."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Close(Processor[str, str, str, str]):
    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        pass

    def close(self) -> None:
        self.log(f"close {self.name}")
        if self.name == "bad":
            raise ValueError("does not close")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    for name in ["a", "bad", "c"]:
        stream.process(lambda name=name: Close(name, log)).to("out")
    return builder.build()
