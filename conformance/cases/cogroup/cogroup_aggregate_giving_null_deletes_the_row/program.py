"""An aggregate of None deletes the row for all streams."""

from collections.abc import Callable
from typing import Any

from penstock import CogroupedKStream, Consumed, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped: CogroupedKStream[str, Any] = one.cogroup(
        lambda key, value, total: f"{total}+{value}"
    )
    cogrouped.cogroup(two, lambda key, value, total: None)
    cogrouped.aggregate(lambda: "0").to_stream().to("out")
    return builder.build()
