"""A subtractor that gives None empties the group: what is added then begins anew, and if nothing
is, the row is deleted.
"""

from collections.abc import Callable
from typing import Any

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: (value[0], value[1:]))
    groups.aggregate(
        lambda: "0",
        lambda key, value, total: total + "+" + value,
        lambda key, value, total: None if value == "4" else total + "-" + value,
        Materialized[str, Any]("totals"),
    ).to_stream().to("out")
    return builder.build()
