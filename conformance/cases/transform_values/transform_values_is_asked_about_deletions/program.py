"""A transformer makes the value of each row, of deleted ones too."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology, ValueTransformerWithKey


class Length(ValueTransformerWithKey[str, str, str]):
    """Says how long a value is; None has no length, `skip` no row."""

    def transform(self, key: str, value: str | None) -> str | None:
        return None if value == "skip" else f"{key}:{-1 if value is None else len(value)}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").transform_values(Length).to_stream().to("out")
    return builder.build()
