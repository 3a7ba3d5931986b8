"""A mapper that gives no key, no value, or nothing at all leaves that side of the change out,
silently.
"""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def grouped(key: str, value: str) -> Any:
        return {"key": (None, "x"), "value": ("g", None), "both": None}.get(value, ("g", value))

    builder.table("in").group_by(grouped).count().to_stream().to("out")
    return builder.build()
