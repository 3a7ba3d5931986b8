"""Below suppress a filter has the old values: those of the last change, not of what was let out."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    held = builder.table("in").suppress(Suppressed.until_time_limit(3))
    held.filter(lambda key, value: value != "x").to_stream().to("out")
    held.group_by(lambda key, value: (value, key)).count().to_stream().to("counts")
    return builder.build()
