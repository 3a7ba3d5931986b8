"""flat_map gives one record per pair of its list, in order; an empty list gives none."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map(
        lambda key, value: [(word, key) for word in value.split("-") if word]
    ).to("out")
    return builder.build()
