"""The changelog gets each key once a commit, in the order of its last write; reads see the
cache.
"""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Write(Processor[str, str, str, str]):
    """Puts each word of a line under its first letter; a letter alone deletes."""

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        for word in record.value.split():
            store.put(word[0], word[1:] or None)
        rows = " ".join(f"{key}{value}" for key, value in store.all())
        self.context.forward(record.with_value(rows))


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=text, value=text, caching=True)
    )
    builder.stream("in").process(Write, state_stores=["store"]).to("out")
    return builder.build()
