"""The serde of the right keys is told the topics of the join, and for the store of
subscriptions a made-up one.
"""

from collections.abc import Callable
from typing import Any

from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


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
    told: set[str] = set()

    def tell(text: str) -> None:
        if text not in told:
            told.add(text)
            log(text)

    left = builder.table("left", Consumed(key=serdes.string(), value=serdes.string()))
    right = builder.table("right", Consumed(key=Telling(tell), value=serdes.string()))
    left.join(right, foreign_key, joined).to_stream().to(
        "out", Produced(key=serdes.string(), value=serdes.string())
    )
    return builder.build()
