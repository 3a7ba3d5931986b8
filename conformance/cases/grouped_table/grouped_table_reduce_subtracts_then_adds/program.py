"""A reduction begins with the first value; adder and subtractor are given the aggregate first."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def added(key: str, value: str, total: str) -> str:
        log(f"add {value} to {total}")
        return total + "+" + value

    def taken(key: str, value: str, total: str) -> str:
        log(f"take {value} from {total}")
        return total + "-" + value

    groups = builder.table("in").group_by(lambda key, value: (value[0], value[1:]))
    groups.reduce(
        lambda total, value: added("", value, total), lambda total, value: taken("", value, total)
    ).to_stream().to("out")
    return builder.build()
