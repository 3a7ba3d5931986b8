"""init and close run in the order in which the nodes were added, not along the edges."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, Topology


class Life(Processor[str, str, str, str]):
    def __init__(self, name: str, log: Callable[[str], None]) -> None:
        self.name = name
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.log(f"init {self.name}")

    def process(self, record: Record[str, str]) -> None:
        self.log(f"process {self.name}")
        self.context.forward(record)

    def close(self) -> None:
        self.log(f"close {self.name}")


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_processor("b", lambda: Life("b", log), "source")
    result.add_processor("b1", lambda: Life("b1", log), "b")
    result.add_processor("a", lambda: Life("a", log), "source")
    result.add_processor("a1", lambda: Life("a1", log), "a")
    result.add_processor("b2", lambda: Life("b2", log), "b")
    return result
