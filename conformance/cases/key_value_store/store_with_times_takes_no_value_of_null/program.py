"""A value of null with a time is a deletion."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, ValueAndTimestamp, serdes


class Mine(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        store.put(record.key, ValueAndTimestamp(record.value, 7))
        found = store.get(record.key)
        self.log("None" if found is None else f"{found.value}@{found.timestamp}")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.timestamped_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
