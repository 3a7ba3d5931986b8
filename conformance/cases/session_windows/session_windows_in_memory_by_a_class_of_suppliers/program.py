"""The class of store suppliers goes before default.dsl.store."""

from collections.abc import Callable

from penstock import Materialized, Processor, Record, SessionWindows, StreamsBuilder, Topology

CONFIG: dict[str, object] = {
    "default.dsl.store": "rocksDB",
    "dsl.store.suppliers.class": (
        "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$InMemoryDslStoreSuppliers"
    ),
}


class Show(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        rows = self.context.get_state_store("counts").fetch_range(None, None)
        shown = " ".join(f"{key}={value}" for key, value in rows)
        self.context.forward(record.with_value(shown))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    windows = SessionWindows.of_inactivity_gap(5)
    stream.group_by_key().windowed_by(windows).count(Materialized("counts"))
    stream.process(Show, state_stores=["counts"]).to("out")
    return builder.build()
