"""Names are ordered by their UTF-16 units, as Java strings are."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("source", "in")
    for node in ["\uff5e", "🚀", "z", "\ue000"]:
        result.add_processor(node, Nothing, "source")
    return result
