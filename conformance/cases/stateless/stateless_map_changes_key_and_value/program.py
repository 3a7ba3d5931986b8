"""map gives a new key and a new value; either may be null, the timestamp stays."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def swap(key: str | None, value: str | None) -> tuple[str | None, str | None]:
        return value, key

    builder.stream("in").map(swap).to("out")
    return builder.build()
