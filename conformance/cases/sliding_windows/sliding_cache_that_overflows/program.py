"""Which windows give way in a cache on disk follows from the order of reads and puts."""

from collections.abc import Callable
from typing import Any

from penstock import (
    Materialized,
    Processor,
    ProcessorContext,
    Record,
    SlidingWindows,
    StreamsBuilder,
    Topology,
)

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 1000}


class Look(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        self._counts: Any = context.get_state_store("counts")

    def process(self, record: Record[str, str]) -> None:
        for window, count in self._counts.all():
            self._log(f"{window.key}@{window.start} {count.value}")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    windows = SlidingWindows.of_time_difference(16000, grace=40000)
    counts: Materialized[Any, Any] = Materialized("counts", store="rocksdb")
    builder.stream("in").group_by_key().windowed_by(windows).count(counts).to_stream().map(
        lambda window, count: (f"{window.key}@{window.start}", str(count))
    ).to("out")
    builder.stream("look").process(lambda: Look(log), state_stores=["counts"])
    return builder.build()
