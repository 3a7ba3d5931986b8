"""A filter has old values if the table above has a store when the filter is drawn, or asks later
for another verb.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    early = table.filter(lambda key, value: value != "x")
    early.to_stream().to("early")
    early.group_by(lambda key, value: (value, key)).count().to_stream().to("counts")
    table.filter(lambda key, value: value != "x").to_stream().to("late")
    return builder.build()
