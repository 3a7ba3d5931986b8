"""What a transformer does to the headers goes on with the record."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Marking(ValueTransformerWithKey[str, str, str]):
        def transform(self, key: str, value: str | None) -> str | None:
            self.context.headers.add("seen", b"yes")
            self.context.headers.remove("secret")
            return value

    builder.table("in").transform_values(Marking, Materialized("kept")).to_stream().to("out")
    return builder.build()
