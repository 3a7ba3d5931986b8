"""Makes a recording and what was seen on a cluster alike in what must differ.

librdkafka takes a timestamp of 0 for "now", so the engine writes 1 for it: 0 and 1 count as equal.
Records without a timestamp of their own, some of changelogs, have none in the driver and that of
their sending on a cluster. And what workers tell in their reports is told at the end.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from conformance.harness import Line


def levelled(line: Line, sent_ms: Container[int] = ()) -> Line:
    """Return a line with timestamps of 1 as 0, and those of the time when it was seen as none."""

    def level(timestamp: int | None) -> int | None:
        if timestamp == 1:
            return 0
        return None if timestamp in sent_ms else timestamp

    output: dict[str, list[dict[str, Any]]] = {
        topic: [{**record, "timestamp": level(record["timestamp"])} for record in records]
        for topic, records in line.get("output", {}).items()
    }
    return {**line, "output": output} if output else dict(line)


def told_at_the_end(lines: list[Line]) -> list[Line]:
    """Move what workers tell in their reports to the last line."""
    printed = [text for line in lines for text in line.pop("stdout", ())]
    for line in lines[:-1]:
        line.pop("dropped", None)  # it is the count so far
    if printed:
        lines[-1]["stdout"] = printed
    return lines


def as_far_as_committed(expected: list[Line], got: list[Line]) -> list[Line]:
    """Return what can be expected if the last step failed: of each topic its first records, as many
    as are there; the rest is taken back with the transaction, and no report tells what was dropped.
    """
    if "error" not in expected[-1]:
        return expected
    written = got[-1].get("output", {}) if got else {}
    of_java = expected[-1].get("output", {})
    last = {part: of for part, of in expected[-1].items() if part not in {"output", "dropped"}}
    if written:
        last["output"] = {
            topic: of_java.get(topic, [])[: len(records)] for topic, records in written.items()
        }
    return [*expected[:-1], last]
