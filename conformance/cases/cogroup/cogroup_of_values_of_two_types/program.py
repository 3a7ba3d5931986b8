"""Each stream has its own type of values; the aggregate has a third."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    words = builder.stream("words", Consumed(key=text, value=text)).group_by_key()
    numbers = builder.stream("numbers", Consumed(key=text, value=serdes.long())).group_by_key()
    cogrouped = words.cogroup(lambda key, value, total: total + len(value)).cogroup(
        numbers, lambda key, value, total: total + value
    )
    option = Materialized("sums", key=text, value=serdes.integer())
    cogrouped.aggregate(lambda: 0, option).to_stream().to("out")
    return builder.build()
