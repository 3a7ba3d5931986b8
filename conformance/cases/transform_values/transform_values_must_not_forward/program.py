"""A transformer must not forward."""

from collections.abc import Callable

from penstock import Record, StreamsBuilder, Topology, ValueTransformerWithKey


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Forwarding(ValueTransformerWithKey[str, str, str]):
        def transform(self, key: str, value: str | None) -> str | None:
            self.context.forward(Record(key, value, 1))  # type: ignore[arg-type]
            return value

    builder.table("in").transform_values(Forwarding).to_stream().to("out")
    return builder.build()
