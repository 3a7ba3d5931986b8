"""forward with a name that no child has fails, also if a node of that name is elsewhere."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Route(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record, record.value)


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_processor("route", Route, "source")
    result.add_sink("child", "out", "route")
    result.add_sink("beside", "out", "source")
    return result
