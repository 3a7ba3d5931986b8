"""Of a scan that ends early only the cached rows that it read count as used."""

from collections.abc import Callable
from itertools import islice

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 300}


class Clerk(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        if record.value != "first":
            store.put(record.key, record.value)
            return
        with store.all() as rows:
            shown = " ".join(f"{key}={value}" for key, value in islice(rows, 1))
        self.context.forward(record.with_value(shown))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.add_state_store(
        Stores.lru_map("store", max_entries=3, key=text, value=text, caching=True)
    )
    builder.stream("in").process(Clerk, state_stores=["store"]).to("out")
    return builder.build()
