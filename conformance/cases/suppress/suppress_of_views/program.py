"""Views are held back like tables; one that has no old values is given them."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    view = builder.table("in").filter(lambda key, value: value != "skip").map_values(str.upper)
    view.suppress(Suppressed.until_time_limit(3)).map_values(
        lambda value: value + "!"
    ).to_stream().to("out")
    return builder.build()
