"""Sources and sinks of the low-level topology take serdes, an extractor and a topic function."""

from collections.abc import Callable

from penstock import Topology, serdes
from penstock.record import ConsumerRecord


def topology(log: Callable[[str], None]) -> Topology:
    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        return int(record.value)

    topology = Topology()
    topology.add_source(
        "source", "in", key=serdes.string(), value=serdes.integer(), timestamp_extractor=extractor
    )
    topology.add_sink(
        "sink",
        lambda key, value, context: f"out-{key}",
        "source",
        key=serdes.string(),
        value=serdes.integer(),
    )
    return topology
