"""Java's metrics, as they were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RECORDED = Path(__file__).parent / "java_metrics.jsonl"


@dataclass(frozen=True, slots=True)
class JavaMetric:
    """One metric of Kafka Streams."""

    group: str
    name: str
    level: str
    tags: tuple[tuple[str, str], ...]
    count: int | None
    """Of a total, or of the rate of a store operation: how often it happened."""

    def tag(self, name: str) -> str | None:
        """Return the value of a tag, None if there is none of that name."""
        return dict(self.tags).get(name)


def java_metrics() -> Iterator[JavaMetric]:
    """Yield all metrics that Java has for the program of `every_store.py`."""
    for line in RECORDED.read_text("utf-8").splitlines():
        row = json.loads(line)
        tags = tuple(sorted(row["tags"].items()))
        for name, (level, *count) in row["metrics"].items():
            yield JavaMetric(row["group"], name, level, tags, *(count or [None]))
