"""Records may be kept and forwarded later; each has its own time and headers then."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Pair(Processor[str, str, str, str]):
    def __init__(self) -> None:
        self.kept: list[Record[str, str]] = []

    def process(self, record: Record[str, str]) -> None:
        self.kept.append(record)
        if len(self.kept) == 2:
            for kept in self.kept:
                self.context.forward(kept)
            self.kept = []


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Pair).to(lambda key, value, context: f"out-{context.offset}")
    return builder.build()
