"""forward comes back after everything below has been done."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Around(Processor[str, str, str, str]):
    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        self.log(f"before {self.name}")
        self.context.forward(record)
        self.log(f"after {self.name}")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .process(lambda: Around("outer", log))
        .process(lambda: Around("inner", log))
        .for_each(lambda key, value: log("end"))
    )
    return builder.build()
