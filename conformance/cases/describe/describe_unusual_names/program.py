"""Nodes of the low-level topology may have any name."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("the source", "in")
    result.add_processor("ünïcödé 🚀", Nothing, "the source")
    result.add_processor("a, b", Nothing, "the source", "ünïcödé 🚀")
    result.add_sink("--> x", "out", "a, b")
    return result
