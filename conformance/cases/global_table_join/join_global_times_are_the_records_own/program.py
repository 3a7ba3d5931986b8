"""No timestamp extractor is asked for the records of a global table."""

from collections.abc import Callable

from penstock import Consumed, KStream, StreamsBuilder, Topology, serdes


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def fails(record: object, partition_time: int) -> int:
        raise ValueError(record)

    left: KStream[str, str] = builder.stream("left")
    right = builder.global_table(
        "right", Consumed(key=serdes.string(), value=serdes.string(), timestamp_extractor=fails)
    )
    left.left_join(right, lambda key, value: key, pair).to("out")
    return builder.build()
