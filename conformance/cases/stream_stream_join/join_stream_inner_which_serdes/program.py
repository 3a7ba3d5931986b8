"""Which serdes write the topics and the stores of a inner join: those of StreamJoined, for
topics else the stream's own, for stores else the defaults.
"""

from collections.abc import Callable

from penstock import Consumed, JoinWindows, Produced, StreamJoined, StreamsBuilder, Topology, serdes
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
    right = builder.stream("right", Consumed(key=text, value=text))
    rekeyed = right.select_key(lambda key, value: key)
    windows = JoinWindows.of_time_difference(10)
    left.join(right, pair, windows).to("out", Produced(key=text, value=text))
    left.join(
        rekeyed,
        pair,
        windows,
        StreamJoined(
            key=Loud("k"), value=Loud("l"), other_value=Loud("r"), name="three", store_name="kept"
        ),
    ).to("out2")
    right.join(right, pair, windows, StreamJoined(key=text, name="key", store_name="key")).to(
        "out3"
    )
    return builder.build()
