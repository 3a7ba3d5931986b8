"""All optimisations together; two self joins of one stream, one named, and a join with another
verb of it that stays as it is.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream("in")
    windows = JoinWindows.of_time_difference(10)
    stream.join(stream, pair, windows, StreamJoined(name="one")).to("one")
    stream.join_with_key(
        stream,
        lambda key, left, right: f"{key}{left}{right}",
        windows,
        StreamJoined(store_name="kept"),
    ).to("two")
    stream.join(stream.map_values(str.lower), pair, windows).to("three")
    return builder.build({"topology.optimization": "all"})
