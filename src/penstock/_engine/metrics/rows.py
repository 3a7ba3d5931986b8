"""Metrics on their way from a worker to the driver: values that share a group and tags."""

from __future__ import annotations

from dataclasses import dataclass, field

CLIENT = "stream-metrics"
THREAD = "stream-thread-metrics"
STATE_UPDATER = "stream-state-updater-metrics"
TASK = "stream-task-metrics"
NODE = "stream-processor-node-metrics"
TOPIC = "stream-topic-metrics"
STATE = "stream-state-metrics"
CACHE = "stream-record-cache-metrics"


@dataclass(frozen=True, slots=True)
class MetricRow:
    """Values under their names; the driver adds the tags of the application and the worker."""

    group: str
    values: dict[str, int | float | str]
    tags: dict[str, str] = field(default_factory=dict)
    of_user: bool = False
    """Whether it is of a sensor of the user's, whose group may be one of ours: none of our figures.
    """
    of_quantity: bool = False
    """Whether that sensor measures any quantity, whose total can fall."""
