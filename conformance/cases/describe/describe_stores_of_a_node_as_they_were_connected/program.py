"""Java prints stores whose names fall together in its hash table as they were connected to the
node, not as they came into the topology: the buffer of a join with grace before the table's store.
"""

from collections.abc import Callable

from penstock import Joined, Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    kept = Materialized[str, str]("rows", history_retention=26)
    rows = builder.table("rows", materialized=kept)
    stream = builder.stream("orders")
    stream.join(rows, lambda order, row: f"{order}-{row}", Joined("orders", grace=6)).to("out")
    return builder.build()
