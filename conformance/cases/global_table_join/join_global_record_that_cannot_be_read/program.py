"""A record of a global table that cannot be read is skipped and counted in the driver, whatever
the handler.
"""

from collections.abc import Callable

from penstock import Consumed, KStream, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right = builder.global_table("right", Consumed(key=serdes.string(), value=serdes.integer()))
    left.left_join(right, lambda key, value: key, lambda left, right: f"{left}{right or 0}").to(
        "out"
    )
    return builder.build()
