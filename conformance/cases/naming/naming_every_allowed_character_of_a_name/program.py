"""A name may hold letters, digits, dots, underscores and hyphens, and 249 of them."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .peek(lambda key, value: None, named="AZaz09._-")
        .peek(lambda key, value: None, named="...")
        .peek(lambda key, value: None, named="n" * 249)
        .to("out")
    )
    return builder.build()
