"""Sources and sinks of the low-level topology take serdes, an extractor and a topic function."""

from collections.abc import Callable

from penstock import Topology, serdes
from penstock.record import ConsumerRecord


def topology(log: Callable[[str], None]) -> Topology:
    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        return int(record.value)

    result = Topology()
    result.add_source(
        "source", "in", key=serdes.string(), value=serdes.integer(), timestamp_extractor=extractor
    )
    result.add_sink(
        "sink",
        lambda key, value, context: f"out-{key}",
        "source",
        key=serdes.string(),
        value=serdes.integer(),
    )
    return result
