"""At a commit the stores are flushed one after the other, in the order of their nodes in the
topology.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(str.split)
    z = words.group_by_key().count(Materialized("z"))
    a = words.group_by_key().count(Materialized("a"))
    a.to_stream().peek(lambda key, value: log(f"a {key} {value}")).to("out")
    z.to_stream().peek(lambda key, value: log(f"z {key} {value}")).to("out")
    return builder.build()
