"""Tables of streams with new keys are joined behind their topics."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[:1]).to_table(named="lefts")
    right = builder.stream("right").select_key(lambda key, value: value[:1]).to_table()
    left.outer_join(right, joined).to_stream().to("out")
    return builder.build()
