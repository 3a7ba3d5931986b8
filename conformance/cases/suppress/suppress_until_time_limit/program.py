"""A row is held back until stream time has passed its first change by the limit; what comes out is
its latest value, with its time.
"""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Suppressed, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.string()))
    counts = table.group_by(lambda key, value: (value, key)).count()
    counts.suppress(Suppressed.until_time_limit(2)).to_stream().to("out")
    counts.to_stream().to("raw")
    return builder.build()
