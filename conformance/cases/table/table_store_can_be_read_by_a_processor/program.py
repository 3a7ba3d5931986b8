"""A processor may look into the store of a table or an aggregate; that unites their sub-
topologies.
"""

from collections.abc import Callable

from penstock import Materialized, Processor, Record, StreamsBuilder, Topology


class Look(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        row = self.context.get_state_store("rows").get(record.key)
        count = self.context.get_state_store("counts").get(record.key)
        found = [f"{pair.value}@{pair.timestamp}" for pair in (row, count) if pair is not None]
        self.context.forward(record.with_value(" ".join(found)))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("table", materialized=Materialized("rows"))
    builder.stream("counted").group_by_key().count(Materialized("counts"))
    builder.stream("in").process(Look, state_stores=["rows", "counts"]).to("out")
    return builder.build()
