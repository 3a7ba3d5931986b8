"""Two processors cannot have the same name."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    result.add_processor("same", Nothing, "source")
    result.add_processor("same", Nothing, "source")
    return result
