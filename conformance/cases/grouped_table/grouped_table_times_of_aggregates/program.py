"""An aggregate has the later of its own time and the record's, if it was there before."""

from collections.abc import Callable
from typing import Any

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    groups = table.group_by(lambda key, value: (value[0], value))
    groups.count(Materialized("counts")).to_stream().to("counts")
    groups.reduce(
        lambda total, value: total + value,
        lambda total, value: None,
        Materialized[str, Any]("sums"),
    ).to_stream().to("sums")
    return builder.build()
