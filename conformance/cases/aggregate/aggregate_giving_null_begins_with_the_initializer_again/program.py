"""An aggregate of null deletes the row; the next record begins with the initializer."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.group_by_key().aggregate(
        lambda: "start", lambda key, value, total: None if value == "end" else f"{total}+{value}"
    ).to_stream().to("out")
    return builder.build()
