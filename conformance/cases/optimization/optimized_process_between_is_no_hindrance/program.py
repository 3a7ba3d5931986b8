"""A processor of the user's between counts neither as change of key nor of value, as in Java."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    class Louder(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            self.context.forward(record.with_value(f"{record.value}!"))

    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.process(Louder).group_by_key().count().to_stream().to("counts")
    rekeyed.group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
