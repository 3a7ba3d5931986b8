"""A transformed versioned table is versioned, with a store that is not it is not."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Length(ValueTransformerWithKey[str, str, str]):
        """Says how long a value is; None has no length, `skip` no row."""

        def transform(self, key: str, value: str | None) -> str | None:
            return None if value == "skip" else f"{key}:{-1 if value is None else len(value)}"

    table = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    view = table.transform_values(Length)
    view.to_stream().to("out")
    view.group_by(lambda key, value: (value, key)).count().to_stream().to("counts")
    kept = table.transform_values(Length, Materialized("kept"))
    kept.group_by(lambda key, value: (value, key)).count().to_stream().to("kept-counts")
    versions = table.transform_values(Length, Materialized("versions", history_retention=60_000))
    versions.group_by(lambda key, value: (value, key)).count().to_stream().to("version-counts")
    return builder.build()
