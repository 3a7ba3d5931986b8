"""A cached timestamped store of a processor logs at the commit, deletions of nothing too."""

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
                for number, word in enumerate(value.split()):
                    pair = None if word == "-" else ValueAndTimestamp(word, number)
                    store.put(record.key, pair)


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.timestamped_key_value_store(
            "store", key=serdes.string(), value=serdes.string(), caching=True
        )
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
