"""A left join below the shared topic wants records without a key: they pass, also to the
aggregation.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: None if value == "y" else value)
    rekeyed.group_by_key().count().to_stream().to("counts")
    rekeyed.left_join(builder.table("rows"), lambda one, two: f"{one}+{two}").to("joined")
    return builder.build({"topology.optimization": "all"})
