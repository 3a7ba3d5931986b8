"""A Materialized without a name uses up no number here."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey


class Length(ValueTransformerWithKey[str, str, str]):
    """Says how long a value is; None has no length, `skip` no row."""

    def transform(self, key: str, value: str | None) -> str | None:
        return None if value == "skip" else f"{key}:{-1 if value is None else len(value)}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.transform_values(Length).to_stream().to("one")
    table.transform_values(Length, Materialized()).to_stream().to("two")
    table.transform_values(Length, Materialized("kept")).to_stream().to("three")
    table.transform_values(Length, named="lengths").to_stream().to("four")
    table.transform_values(Length, Materialized("more"), named="longer").to_stream().to("five")
    table.filter(lambda key, value: True, Materialized()).to_stream().to("six")
    return builder.build()
