"""In memory, reading a window counts as use of the windows of all keys before it."""

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

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 700}


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
    windows = SlidingWindows.of_time_difference(4, grace=5)
    counts: Materialized[Any, Any] = Materialized("counts", store="in_memory")
    builder.stream("in").group_by_key().windowed_by(windows).count(counts).to_stream().map(
        lambda window, count: (f"{window.key}@{window.start}", str(count))
    ).to("out")
    builder.stream("look").process(lambda: Look(log), state_stores=["counts"])
    return builder.build()
