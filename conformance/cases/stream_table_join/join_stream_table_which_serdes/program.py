"""Which serdes write the topic before the join, and read the result's key: those of Joined,
else the stream's.
"""

from collections.abc import Callable

from penstock import Consumed, Joined, StreamsBuilder, Topology, serdes
from penstock.serdes import Serde


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


class Loud(Serde[str]):
    def __init__(self, mark: str = "!") -> None:
        self.mark = mark

    def encode(self, value: str) -> bytes:
        return (value + self.mark).encode()

    def decode(self, data: bytes) -> str:
        return data.decode()[:-1]


CONFIG: dict[str, object] = {"default.key.serde": Loud(), "default.value.serde": Loud()}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    left = builder.stream("left", Consumed(key=text, value=text)).select_key(lambda key, value: key)
    right = builder.table("right", Consumed(key=text, value=text))
    left.join(right, pair).to("out")
    left.join(
        right, pair, Joined("named", key=Loud("k"), value=Loud("v"), other_value=Loud("o"))
    ).to("out2")
    builder.stream("plain", Consumed(key=text, value=text)).join(right, pair).to("out3")
    return builder.build()
