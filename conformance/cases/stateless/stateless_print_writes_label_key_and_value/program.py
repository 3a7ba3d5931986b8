"""print writes label, key and value; without a label the name of the node above it."""

from collections.abc import Callable

from penstock import Printed, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.print()
    stream.print(Printed.to_sys_out(label="mine"))
    stream.print(Printed.to_sys_out(mapper=lambda key, value: f"{key} -> {value}", name="arrow"))
    return builder.build()
