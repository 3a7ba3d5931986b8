"""Old values go through views of views; each function is asked about them."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def shout(value: str) -> str:
        log("shout " + value)
        return value.upper()

    def keep(key: str, value: str) -> bool:
        log("keep " + value)
        return value != "X"

    view = builder.table("in").map_values(shout).filter(keep).map_values(lambda value: value + "!")
    view.group_by(lambda key, value: (value, key)).reduce(
        lambda total, value: total + "+" + value, lambda total, value: total + "-" + value
    ).to_stream().to("out")
    return builder.build()
