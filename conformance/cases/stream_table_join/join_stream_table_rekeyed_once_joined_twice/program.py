"""A rekeyed stream joined with two tables and a stream shares its topic where no name is given."""

from collections.abc import Callable

from penstock import Joined, KTable, Produced, StreamsBuilder, Topology, serdes


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[0])
    first: KTable[str, str] = builder.table("first")
    second: KTable[str, str] = builder.table("second")
    left.join(first, pair).to("out")
    left.left_join(second, pair).to("out2")
    left.left_join(second, pair, Joined("named")).to("out3")
    left.group_by_key().count().to_stream().to("counts", Produced(value=serdes.long()))
    return builder.build()
