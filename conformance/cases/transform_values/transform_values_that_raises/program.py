"""A transformer that raises loses that change; its store keeps the row of before."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, ValueTransformerWithKey
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Picky(ValueTransformerWithKey[str, str, str]):
        def transform(self, key: str, value: str | None) -> str | None:
            if value == "bad":
                raise ValueError(value)
            return value

    table = builder.table("in").transform_values(Picky, Materialized("kept"))
    table.filter(lambda key, value: True).to_stream().to("out")
    return builder.build()
