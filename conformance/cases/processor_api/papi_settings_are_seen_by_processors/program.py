"""A processor can read the settings of the application, also by prefix."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Read(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        limit = self.context.app_configs()["app.limit"]
        mine = self.context.app_configs_with_prefix("app.")
        value = f"{limit} {mine['limit']} {mine['name']} {len(mine)}"
        self.context.forward(record.with_value(value))


CONFIG: dict[str, object] = {"app.limit": "5", "app.name": "m"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Read).to("out")
    return builder.build()
