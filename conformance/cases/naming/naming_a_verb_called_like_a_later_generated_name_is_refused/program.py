"""A name that a later verb would generate for itself clashes with it."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .filter(lambda key, value: True, named="KSTREAM-PEEK-0000000002")
        .peek(lambda key, value: None)
        .to("out")
    )
    return builder.build()
