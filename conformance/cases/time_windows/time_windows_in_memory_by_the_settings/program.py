"""With default.dsl.store in_memory the store of a verb is one in memory: read by time, then key."""

from collections.abc import Callable

from penstock import Materialized, Processor, Record, StreamsBuilder, TimeWindows, Topology

CONFIG: dict[str, object] = {"default.dsl.store": "in_memory"}


class Show(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        rows = self.context.get_state_store("counts").all()
        shown = " ".join(f"{key}={row.value}" for key, row in rows)
        self.context.forward(record.with_value(shown))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    windows = TimeWindows.of_size(10)
    stream.group_by_key().windowed_by(windows).count(Materialized("counts"))
    stream.process(Show, state_stores=["counts"]).to("out")
    return builder.build()
