"""An iterator shows the entries of its beginning, whatever is written meanwhile."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Mine(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        for key, value in store.all():
            store.put(f"{key}'", value)
            store.delete(key)
        store.put(record.key, record.value)
        self.log(" ".join(f"{key}={value}" for key, value in store.all()))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.persistent_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
