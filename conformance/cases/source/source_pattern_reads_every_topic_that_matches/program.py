"""A record of a pattern knows its topic; the driver counts one row of offsets for the pattern."""

import re
from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Where(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        self.log(f"{metadata.topic} {metadata.partition} {metadata.offset}")
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(re.compile("in-[ab]")).process(lambda: Where(log)).to("out")
    return builder.build()
