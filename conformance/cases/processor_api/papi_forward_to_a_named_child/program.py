"""forward with a child's name gives the record to that child alone."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Route(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        if record.value == "all":
            self.context.forward(record)
        else:
            self.context.forward(record, record.value)


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_processor("route", Route, "source")
    result.add_sink("left", "left-topic", "route")
    result.add_sink("right", "right-topic", "route")
    return result
