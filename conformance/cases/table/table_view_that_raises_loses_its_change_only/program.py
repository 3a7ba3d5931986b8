"""If a table's mapper or predicate raises and the handler goes on, the table above is as it
was meant to be.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", materialized=Materialized[str, str]("rows"))
    table.map_values(int).map_values(lambda value: str(10 // value)).to_stream().to("mapped")
    table.filter(lambda key, value: int(value) > 1).to_stream().to("kept")
    return builder.build()
