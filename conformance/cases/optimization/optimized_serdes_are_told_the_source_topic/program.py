"""The serdes of a table's store are told its topic, since that is its changelog."""

from collections.abc import Callable
from typing import Any

from penstock import Consumed, Materialized, Produced, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"topology.optimization": "all"}


class Telling(serdes.Serde[str]):
    """Writes text, and tells which topics it is asked for."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def serialize(self, topic: str, value: str | None, headers: Any = ()) -> bytes | None:
        self.log(topic)
        return None if value is None else value.encode()

    def deserialize(self, topic: str, data: bytes | None, headers: Any = ()) -> str | None:
        return None if data is None else data.decode()


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table(
        "rows", Consumed(key=serdes.string(), value=Telling(log)), Materialized("rows-store")
    ).to_stream().to("out", Produced(value=serdes.string()))
    return builder.build({"topology.optimization": "all"})
