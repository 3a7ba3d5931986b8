"""A cached table's old value is the one in the store at the flush; the first has none,
whatever the initializer gave.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def seen(key: str, value: str) -> bool:
        log(f"{key} {value}")
        return len(value) > 2

    words = builder.stream("in").flat_map_values(str.split)
    table = words.group_by_key().aggregate(lambda: "", lambda key, value, total: total + value)
    table.filter(seen).to_stream().to("out")
    return builder.build()
