"""What a record sends through a repartition is worked on after that record is done everywhere."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(lambda value: value.split("-"))
    words.peek(lambda key, value: log(f"before {value}")).repartition().for_each(
        lambda key, value: log(f"after {value}")
    )
    words.for_each(lambda key, value: log(f"beside {value}"))
    return builder.build()
