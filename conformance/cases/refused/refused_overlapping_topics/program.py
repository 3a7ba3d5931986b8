"""Two streams may share all of their topics or none, not some."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).to("out")
    builder.stream(["b", "c"]).to("out")
    return builder.build()
