"""Ranges include both ends, None is no bound, prefixes are of the serialized key; all in
order of the bytes.
"""

from collections.abc import Callable, Iterator

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


def rows(entries: Iterator[tuple[str, str]]) -> str:
    return " ".join(f"{key}{value}" for key, value in entries)


class Mine(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        for key in record.value.split():
            store.put(key, str(len(key)))
        self.log(rows(store.all()))
        self.log(rows(store.reverse_all()))
        self.log(rows(store.range("b", "c")))
        self.log(rows(store.range(None, "bb")))
        self.log(rows(store.range("b", None)))
        self.log(rows(store.reverse_range("a", "bb")))
        self.log(rows(store.reverse_range(None, None)))
        self.log(rows(store.range("c", "a")))
        self.log(rows(store.reverse_range("c", "a")))
        self.log(rows(store.prefix_scan(b"b")))
        self.log(rows(store.prefix_scan(b"ba")))
        self.log(rows(store.prefix_scan(b"zz")))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(
        Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())
    )
    builder.stream("in").process(lambda: Mine(log), state_stores=["store"]).to("out")
    return builder.build()
