"""What one suppress lets out, another may hold back."""

from collections.abc import Callable
from datetime import timedelta

from penstock import BufferConfig, StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    once = builder.table("in").suppress(Suppressed.until_time_limit(2))
    once.suppress(
        Suppressed.until_time_limit(timedelta(days=1), BufferConfig(max_records=1))
    ).to_stream().to("out")
    once.to_stream().to("once")
    return builder.build()
