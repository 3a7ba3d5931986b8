"""Two global tables and two streams: the numbers, and which sub-topologies there are."""

from collections.abc import Callable

from penstock import Consumed, GlobalKTable, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    first: GlobalKTable[str, str] = builder.global_table("first")
    one: KStream[str, str] = builder.stream("one")
    second: GlobalKTable[str, str] = builder.global_table("second", Consumed(name="last"))
    two: KStream[str, str] = builder.stream("two")
    one.join(first, lambda key, value: key, pair).join(second, lambda key, value: value, pair).to(
        "out"
    )
    two.left_join(second, lambda key, value: value, pair).to("out2")
    return builder.build()
