"""Without a store a filter cannot know what it has let through: whatever it does not keep is
a deletion.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").filter(lambda key, value: int(value) % 2 == 0).to_stream().to("out")
    return builder.build()
