"""A processor may have several parents; records come as they arrive."""

from collections.abc import Callable

from penstock import Processor, Record, Topology


class Where(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        self.context.forward(record.with_value(f"{record.value} {metadata.topic}"))


def topology(log: Callable[[str], None]) -> Topology:
    result = Topology()
    result.add_source("one", "first")
    result.add_source("two", "second", "third")
    result.add_processor("both", Where, "one", "two")
    result.add_sink("sink", "out", "both")
    return result
