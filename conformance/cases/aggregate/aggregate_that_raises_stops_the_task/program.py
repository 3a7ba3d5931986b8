"""By default an aggregator that raises stops the task."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").group_by_key().aggregate(
        lambda: "0", lambda key, value, total: str(1 // int(value))
    )
    return builder.build()
