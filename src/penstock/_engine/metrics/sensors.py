"""Sensors that users' processors add. Java: StreamsMetricsImpl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from penstock._clock import monotonic
from penstock._engine.metrics.catalogue import description
from penstock._engine.metrics.rows import NODE, TASK, MetricRow
from penstock._engine.metrics.samples import Samples
from penstock.errors import StreamsError
from penstock.metrics import RecordingLevel, Sensor

_KINDS = {
    "count": ("rate", "total"),
    "latency": ("latency-avg", "latency-max", "rate", "total"),
    "quantity": ("avg", "max", "min", "rate", "total"),
}

_LEVELS: tuple[RecordingLevel, ...] = get_args(RecordingLevel)

# Measured with sensors, as a user would.
_OF_OPERATORS = {"suppression-emit", "window-aggregate-final-emit"}


@dataclass(frozen=True, slots=True)
class _Place:
    group: str
    tags: tuple[tuple[str, str], ...]
    operation: str


class TaskSensor:
    """One sensor of one task; the measurements of a sensor that does not record are ignored."""

    __slots__ = ("_kind", "_place", "_recorded", "_records", "_samples", "_total", "name")

    def __init__(self, name: str, kind: str, place: _Place, *, records: bool) -> None:
        self.name = name
        self._kind, self._place = kind, place
        self._samples = Samples(monotonic())
        self._recorded, self._total = 0, 0.0
        self._records = records

    def row(self, now: float) -> MetricRow | None:
        """Return the metrics, None of a sensor that does not record."""
        if not self._records:
            return None
        samples = self._samples
        known = {
            "avg": samples.mean(now),
            "latency-avg": samples.mean(now),
            "max": samples.largest(now),
            "latency-max": samples.largest(now),
            "min": samples.least(now),
            "rate": samples.rate(now),
            "total": self._total if self._kind == "quantity" else self._recorded,
        }
        values: dict[str, int | float | str] = {
            f"{self._place.operation}-{stat}": value
            for stat in _KINDS[self._kind]
            if (value := known[stat]) is not None
        }
        tags, of_quantity = dict(self._place.tags), self._kind == "quantity"
        return MetricRow(self._place.group, values, tags, of_user=True, of_quantity=of_quantity)

    def record(self, value: float = 1.0) -> None:
        """Take a measurement."""
        if not self._records:
            return
        # Numbers of other libraries cannot be reported.
        value = float(value)
        self._recorded += 1
        self._total += value
        self._samples.record(value, monotonic())


class TaskSensors:
    """The sensors of one task."""

    def __init__(
        self, level: RecordingLevel = "INFO", *, task_id: str = "", nodes: Iterable[str] = ()
    ) -> None:
        self._recorded_levels = _LEVELS[: _LEVELS.index(level) + 1]
        self._task_id, self._nodes = task_id, set(nodes)
        self._sensors: dict[object, TaskSensor] = {}

    def of_node(self, node: str) -> NodeSensors:
        """Return the sensors as a processor sees them."""
        self._nodes.add(node)
        return NodeSensors(self, node)

    def rows(self, now: float) -> list[MetricRow]:
        """Return the metrics of all sensors."""
        rows = [sensor.row(now) for sensor in self._sensors.values()]
        return [row for row in rows if row is not None]

    def add(self, kind: str, place: _Place, level: RecordingLevel) -> TaskSensor:
        """Return the sensor of a place, which is made if there is none."""
        if level not in _LEVELS:
            msg = f"a sensor's level must be 'INFO', 'DEBUG' or 'TRACE'; got {level!r}"
            raise ValueError(msg)
        known = self._sensors.get(place)
        if known is None:
            if self._has_tags_of_ours(place):
                _check_names(kind, place)
            records = level in self._recorded_levels
            known = TaskSensor(place.operation, kind, place, records=records)
            self._sensors[place] = known
        elif known._kind != kind:
            msg = f"sensor {place.operation!r} is there already and measures something else"
            raise StreamsError(msg)
        return known

    def _has_tags_of_ours(self, place: _Place) -> bool:
        """Return whether metrics of the task or of its nodes have the same group and tags."""
        of_task = {"task-id": self._task_id}
        tags = {**of_task, **dict(place.tags)}
        if place.group == TASK:
            return tags == of_task
        node = tags.pop("processor-node-id", None)
        return place.group == NODE and node in self._nodes and tags == of_task

    def remove(self, sensor: Sensor) -> None:
        """Remove a sensor."""
        self._sensors = {
            place: known for place, known in self._sensors.items() if known is not sensor
        }


class NodeSensors:
    """`context.metrics` of one processor."""

    def __init__(self, sensors: TaskSensors, node: str) -> None:
        self._sensors = sensors
        self._node = node

    def add_rate_total_sensor(
        self,
        scope: str,
        entity: str,
        operation: str,
        *,
        level: RecordingLevel = "INFO",
        tags: Mapping[str, str] | None = None,
    ) -> Sensor:
        place = _scoped(scope, entity, operation, tags)
        return self._sensors.add("count", place, level)

    def add_latency_rate_total_sensor(
        self,
        scope: str,
        entity: str,
        operation: str,
        *,
        level: RecordingLevel = "INFO",
        tags: Mapping[str, str] | None = None,
    ) -> Sensor:
        place = _scoped(scope, entity, operation, tags)
        return self._sensors.add("latency", place, level)

    def add_sensor(self, name: str, *, level: RecordingLevel = "INFO") -> Sensor:
        place = _Place(NODE, (("processor-node-id", self._node),), _text("name", name))
        return self._sensors.add("quantity", place, level)

    def remove_sensor(self, sensor: Sensor) -> None:
        self._sensors.remove(sensor)


def _scoped(scope: str, entity: str, operation: str, tags: Mapping[str, str] | None) -> _Place:
    given = {name: _text("tag", value) for name, value in (tags or {}).items()}
    all_tags = {**given, f"{_text('scope', scope)}-id": _text("entity", entity)}
    return _Place(f"stream-{scope}-metrics", tuple(all_tags.items()), _text("operation", operation))


def _check_names(kind: str, place: _Place) -> None:
    """Refuse metrics that would be taken for others, as Java does."""
    if place.operation in _OF_OPERATORS:
        return
    for stat in _KINDS[kind]:
        name = f"{place.operation}-{stat}"
        if description(place.group, name):
            msg = (
                f"sensor {place.operation!r} must not measure {name!r} in group {place.group!r}, "
                "which is a metric already; give it another name"
            )
            raise StreamsError(msg)


def _text(what: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        msg = f"the {what} of a sensor must be a text that is not empty; got {value!r}"
        raise TypeError(msg)
    return value
