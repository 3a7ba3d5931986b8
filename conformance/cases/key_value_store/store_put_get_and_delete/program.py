"""put, get, put_if_absent and delete; each change is in the changelog, a deletion of nothing
too.
"""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Mine(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        match record.value:
            case "get":
                self.log(f"{store.get(record.key)}")
            case "delete":
                self.log(f"{store.delete(record.key)}")
            case None:
                store.put(record.key, None)
            case value if value.startswith("?"):
                self.log(f"{store.put_if_absent(record.key, value)}")
            case value:
                store.put(record.key, value)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
