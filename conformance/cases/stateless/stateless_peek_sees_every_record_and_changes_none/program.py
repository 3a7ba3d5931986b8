"""peek is called before the nodes behind it and passes the record on as it is."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .peek(lambda key, value: log(f"first {key} {value}"))
        .filter(lambda key, value: value != "x")
        .peek(lambda key, value: log(f"second {key} {value}"))
        .to("out")
    )
    return builder.build()
