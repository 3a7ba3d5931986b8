"""Without a store, the old value is made a second time."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Telling(ValueTransformerWithKey[str, str, str]):
        """Tells what it is asked."""

        def transform(self, key: str, value: str | None) -> str | None:
            log(f"{key} {value}")
            return None if value is None else value + "!"

    table = builder.table("in", materialized=Materialized[str, str]("rows")).transform_values(
        Telling
    )
    table.filter(lambda key, value: value != "x!").to_stream().to("out")
    return builder.build()
