"""With a cache, rows that were made come out at the flush."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


class Length(ValueTransformerWithKey[str, str, str]):
    """Says how long a value is; None has no length, `skip` no row."""

    def transform(self, key: str, value: str | None) -> str | None:
        return None if value == "skip" else f"{key}:{-1 if value is None else len(value)}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in").transform_values(Length, Materialized("lengths"))
    table.to_stream().to("out")
    table.filter(lambda key, value: not value.endswith("1")).to_stream().to("below")
    return builder.build()
