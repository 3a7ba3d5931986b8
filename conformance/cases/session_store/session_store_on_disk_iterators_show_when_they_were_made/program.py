"""A put does not make rows expire that an iterator of a store on disk was asked for before."""

from collections.abc import Callable

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, Windowed, serdes


class Clerk(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        store.put(Windowed("a", 10, 30_000), "1")
        store.put(Windowed("a", 100_000, 120_000), "2")
        opened = {
            "find": store.find_sessions("a", 0, 120_000),
            "find_range": store.find_sessions_range("a", "b", 0, 120_000),
            "backward_find": store.backward_find_sessions("a", 0, 120_000),
        }
        store.put(Windowed("a", 150_000, 150_000), "3")
        for name, rows in opened.items():
            shown = " ".join(f"{key}={value}" for key, value in rows)
            self.context.forward(record.with_value(f"{name}: {shown}"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    builder.add_state_store(
        Stores.persistent_session_store("store", retention=120_000, key=text, value=text)
    )
    builder.stream("in").process(Clerk, state_stores=["store"]).to("out")
    return builder.build()
