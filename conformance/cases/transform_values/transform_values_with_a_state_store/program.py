"""A transformer may use stores; what it puts has the time of the record."""

from collections.abc import Callable
from typing import Any

from penstock import Stores, StreamsBuilder, Topology, ValueTransformerWithKey, serdes


class Counting(ValueTransformerWithKey[str, str, str]):
    """Counts in a store how often a row has changed."""

    def init(self, context: Any) -> None:
        super().init(context)
        self.counts = context.get_state_store("changes")

    def transform(self, key: str, value: str | None) -> str | None:
        count = (self.counts.get(key) or 0) + 1
        self.counts.put(key, count)
        return f"{value} #{count}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("changes", key=serdes.string(), value=serdes.integer())
    )

    table = builder.table("in")
    table.transform_values(Counting, state_stores=["changes"]).to_stream().to("out")
    return builder.build()
