"""Records without a key pass the stateless verbs; a repartition drops them, uncounted."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .filter(lambda key, value: value != "skip")
        .select_key(lambda key, value: value if key is None else None)
        .repartition()
        .to("out")
    )
    return builder.build()
