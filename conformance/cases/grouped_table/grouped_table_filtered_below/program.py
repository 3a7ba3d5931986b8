"""Below an aggregate of a grouped table a filter has the old values."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.table("in").group_by(lambda key, value: (value, key)).count()
    counts.filter(lambda value, count: count > 1).to_stream().to("out")
    sums = (
        builder.table("more")
        .group_by(lambda key, value: (value[0], value))
        .reduce(
            lambda total, value: total + value, lambda total, value: total.replace(value, "", 1)
        )
    )
    sums.filter(lambda key, value: len(value) > 4).to_stream().to("sums")
    return builder.build()
