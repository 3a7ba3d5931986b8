"""The same with a cache."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    sums = cogrouped.aggregate(lambda: "0", Materialized("sums"))
    sums.filter(lambda key, total: "9" not in total).to_stream().to("out")
    return builder.build()
