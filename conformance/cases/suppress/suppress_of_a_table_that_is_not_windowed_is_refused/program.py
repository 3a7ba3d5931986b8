"""Only windows close."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").suppress(Suppressed.until_window_closes()).to_stream().to("out")
    return builder.build()
