"""When a task is made, suppliers are called in the order in which the nodes were added."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, Topology


class Show(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None], made: list[str]) -> None:
        self.log, self.made = log, made

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.log("last made: " + " ".join(self.made[-3:]))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    made: list[str] = []

    def supplier(name: str) -> Callable[[], Show]:
        def make() -> Show:
            made.append(name)
            return Show(log, made)

        return make

    built = Topology().add_source("source", "in")
    built.add_processor("first", supplier("first"), "source")
    built.add_processor("second", supplier("second"), "first")
    built.add_processor("third", supplier("third"), "source")
    return built
