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
    topology = Topology()
    topology.add_source("source", "in")
    topology.add_processor("route", Route, "source")
    topology.add_sink("left", "left-topic", "route")
    topology.add_sink("right", "right-topic", "route")
    return topology
