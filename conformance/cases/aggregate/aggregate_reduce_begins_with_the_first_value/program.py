"""The first value of a key is its aggregate; the reducer is not asked."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def join(aggregate: str, value: str) -> str:
        log(f"{aggregate} {value}")
        return aggregate + value

    builder.stream("in").group_by_key().reduce(join, Materialized("joined")).to_stream().to("out")
    return builder.build()
