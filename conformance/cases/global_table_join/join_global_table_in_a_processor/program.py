"""The rows of a global table, with their times, read by a processor."""

from collections.abc import Callable

from penstock import KStream, Materialized, Processor, Record, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Ask(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            row = self.context.get_state_store("rows").get(record.key)
            found = "none" if row is None else f"{row.value}@{row.timestamp}"
            self.context.forward(record.with_value(f"{record.value} {found}"))

    builder.global_table("right", materialized=Materialized[str, str]("rows"))
    left: KStream[str, str] = builder.stream("left")
    left.process(Ask).to("out")
    return builder.build()
