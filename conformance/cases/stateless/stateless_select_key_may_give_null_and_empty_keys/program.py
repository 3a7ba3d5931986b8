"""select_key replaces the key only; null and the empty string are different keys."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").select_key(lambda key, value: None if value is None else value[1:]).to(
        "out"
    )
    return builder.build()
