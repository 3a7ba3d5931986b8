"""The store of a join must keep its records as long as the join's windows and grace say."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, Stores, StreamJoined, StreamsBuilder, Topology, serdes


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=5)
    left.join(
        right,
        pair,
        windows,
        StreamJoined(
            this_store=Stores.persistent_window_store(
                "mine",
                retention=26,
                window_size=20,
                key=serdes.string(),
                value=serdes.string(),
                retain_duplicates=True,
            )
        ),
    ).to("out")
    return builder.build()
