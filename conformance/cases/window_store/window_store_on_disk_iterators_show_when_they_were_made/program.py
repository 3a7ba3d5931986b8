"""A put does not make rows expire that an iterator of a store on disk was asked for before."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes


class Clerk(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        store.put("a", "1", 30_000)
        store.put("a", "2", 120_000)
        opened = {
            "fetch": store.fetch("a", 0, 120_000),
            "fetch_range": store.fetch_range("a", "b", 0, 120_000),
            "fetch_all": store.fetch_all(0, 120_000),
            "backward_fetch_all": store.backward_fetch_all(0, 120_000),
        }
        store.put("a", "3", 150_000)
        for name, rows in opened.items():
            shown = " ".join(f"{key}={value}" for key, value in rows)
            self.context.forward(record.with_value(f"{name}: {shown}"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.add_state_store(
        Stores.persistent_window_store(
            "store", retention=120_000, window_size=1_000, key=text, value=text
        )
    )
    builder.stream("in").process(Clerk, state_stores=["store"]).to("out")
    return builder.build()
