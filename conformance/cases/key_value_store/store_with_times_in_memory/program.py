"""A timestamped store keeps a time with each value; its changelog has the value alone, under
that time; a deletion has the record's.
"""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, ValueAndTimestamp, serdes


class Mine(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        match record.value:
            case "get":
                found = store.get(record.key)
                self.log("None" if found is None else f"{found.value}@{found.timestamp}")
            case "all":
                self.log(
                    " ".join(f"{key}:{pair.value}@{pair.timestamp}" for key, pair in store.all())
                )
            case "delete":
                found = store.delete(record.key)
                self.log("None" if found is None else f"{found.value}@{found.timestamp}")
            case value:
                store.put(record.key, ValueAndTimestamp(value, record.timestamp * 10))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.timestamped_key_value_store(
            "store", key=serdes.string(), value=serdes.string(), store="in_memory"
        )
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
