"""A processor knows application and task; the driver has one task for all sub-topologies."""

from collections.abc import Callable

from penstock import Processor, Record, Repartitioned, StreamsBuilder, Topology


class Who(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        self.log(f"{self.context.application_id} {self.context.task_id}")
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").process(lambda: Who(log))
    stream.repartition(Repartitioned(name="again")).process(lambda: Who(log)).to("out")
    return builder.build()
