"""A transformer may schedule timers; they cannot forward."""

from collections.abc import Callable
from typing import Any

from penstock import PunctuationType, StreamsBuilder, Topology, ValueTransformerWithKey


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Ticking(ValueTransformerWithKey[str, str, str]):
        def init(self, context: Any) -> None:
            super().init(context)
            context.schedule(5, PunctuationType.STREAM_TIME, lambda now: log(f"tick {now}"))
            context.schedule(10, PunctuationType.WALL_CLOCK_TIME, lambda now: log(f"tock {now}"))

        def transform(self, key: str, value: str | None) -> str | None:
            return value

    builder.table("in").transform_values(Ticking).to_stream().to("out")
    return builder.build()
