"""A transformer that makes a value of None gives a join a row of no time."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology, ValueTransformerWithKey


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Named(ValueTransformerWithKey[str, str, str]):
        def transform(self, key: str, value: str | None) -> str | None:
            return f"{key}={value}"

    left, right = builder.table("left"), builder.table("right").transform_values(Named)
    left.join(right, joined).to_stream().to("out")
    right.outer_join(left, joined).to_stream().to("outer")
    return builder.build()
