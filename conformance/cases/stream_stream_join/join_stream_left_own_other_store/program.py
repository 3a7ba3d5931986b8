"""Only the other stream's store is the user's; a store name is for the rest."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, Stores, StreamJoined, StreamsBuilder, Topology, serdes


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=5)
    left.left_join(
        right,
        pair,
        windows,
        StreamJoined(
            store_name="kept",
            other_store=Stores.in_memory_window_store(
                "theirs",
                retention=25,
                window_size=20,
                key=serdes.string(),
                value=serdes.string(),
                retain_duplicates=True,
            ),
        ),
    ).to("out")
    return builder.build()
