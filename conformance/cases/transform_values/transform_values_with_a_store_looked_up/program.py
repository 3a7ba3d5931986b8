"""With a store a join looks rows up in it."""

from collections.abc import Callable
from typing import Any

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Placed(ValueTransformerWithKey[str, str, str]):
        """Tells where it stands, and when."""

        def init(self, context: Any) -> None:
            super().init(context)
            log(f"init {context.task_id} {context.application_id}")

        def transform(self, key: str, value: str | None) -> str | None:
            context = self.context
            metadata = context.record_metadata
            place = f"{metadata.topic} {metadata.partition} {metadata.offset} {context.timestamp}"
            names = [name for name, _ in context.headers]
            log(f"{key} {value} {place} {context.current_stream_time_ms} {names}")
            return None if value is None else value + "!"

        def close(self) -> None:
            log("close")

    left = builder.table("left")
    right = builder.table("right").transform_values(Placed, Materialized("kept"))
    left.left_join(right, joined).to_stream().to("out")
    return builder.build()
