"""Processors are initialised from the sources down, and closed in the same order."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, Topology


class Life(Processor[str, str, str, str]):
    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.log = log

    def init(self, context: ProcessorContext[Record[str, str]]) -> None:
        super().init(context)
        self.log(f"init {self.name}")

    def process(self, record: Record[str, str]) -> None:
        self.log(f"process {self.name}")
        self.context.forward(record)

    def close(self) -> None:
        self.log(f"close {self.name}")


def topology(log: Callable[[str], None]) -> Topology:
    topology = Topology()
    topology.add_source("source", "in")
    topology.add_processor("first", lambda: Life("first", log), "source")
    topology.add_processor("second", lambda: Life("second", log), "first")
    topology.add_processor("beside", lambda: Life("beside", log), "source")
    topology.add_sink("sink", "out", "second", "beside")
    return topology
