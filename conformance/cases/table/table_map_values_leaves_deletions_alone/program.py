"""A mapper is not asked about deletions; every change is forwarded, equal ones too."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def mapped(key: str, value: str) -> str:
        log(f"{key} {value}")
        return key + value

    builder.table("in").map_values_with_key(mapped).to_stream().to("out")
    return builder.build()
