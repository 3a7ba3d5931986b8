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

    def closing(name: str) -> Callable[[], Close]:
        return lambda: Close(name, log)

    stream = builder.stream("in")
    for name in ["a", "bad", "c"]:
        stream.process(closing(name)).to("out")
    return builder.build()
