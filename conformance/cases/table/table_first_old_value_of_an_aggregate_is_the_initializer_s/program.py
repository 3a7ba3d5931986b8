"""Without a cache the first change of an aggregate has the initializer's value as its old
one: a filter sees it.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def seen(key: str, value: str) -> bool:
        log(f"{key} {value}")
        return value != "start+x"

    stream = builder.stream("in")
    table = stream.group_by_key().aggregate(
        lambda: "start", lambda key, value, total: f"{total}+{value}"
    )
    table.filter(seen).to_stream().to("out")
    stream.group_by_key().reduce(lambda aggregate, value: aggregate + value).filter(
        seen
    ).to_stream().to("out2")
    return builder.build()
