"""A sub-topology has the place of its first node; nodes added later do not move it."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("z", "z-topic")
    result.add_source("m", "m-topic")
    result.add_source("a", "a-topic")
    result.add_processor("below-a", Nothing, "a")
    result.add_processor("below-m", Nothing, "m")
    result.add_processor("below-z", Nothing, "z")
    return result
