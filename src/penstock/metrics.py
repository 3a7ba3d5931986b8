"""Metrics of a running application, under the names, groups and tags of Kafka Streams.

`KafkaStreams.metrics()` returns them, `to_prometheus` writes them as text for Prometheus, and
`context.metrics` of a processor takes sensors of its own. Java: Metric, MetricName, StreamsMetrics.

>>> from penstock.metrics import MetricName, to_prometheus
>>> name = MetricName("process-rate", "stream-thread-metrics", (("thread-id", "a-1"),))
>>> print(to_prometheus({name: 12.5}), end="")
# TYPE kafka_streams_stream_thread_metrics_process_rate gauge
kafka_streams_stream_thread_metrics_process_rate{thread_id="a-1"} 12.5
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, Protocol, TypeAlias

__all__ = [
    "MetricName",
    "MetricValue",
    "RecordingLevel",
    "Sensor",
    "StreamsMetrics",
    "prometheus_name",
    "to_prometheus",
]

MetricValue: TypeAlias = int | float | str
"""What a metric shows: a number, or a text such as the state.

>>> with driver_of(builder.build()) as driver:
...     driver.metrics()["process-total"]
7
"""
RecordingLevel: TypeAlias = Literal["INFO", "DEBUG", "TRACE"]
"""When a sensor takes measurements: always, or from that `metrics.recording.level` on.

>>> sensor = MockProcessorContext().metrics.add_sensor("basket-size", level="DEBUG")
"""

_PREFIX = "kafka_streams_"
_FALLING = frozenset({"cache-size-bytes-total", "restore-remaining-records-total"})
"""What is called a total and is no count."""
_NODE_GROUP = "stream-processor-node-metrics"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]")


@dataclass(frozen=True, slots=True, order=True)
class MetricName:
    """What a metric is called. Java: MetricName.

    >>> from penstock.metrics import MetricName
    >>> MetricName("process-rate", "stream-thread-metrics", (("thread-id", "a-1"),)).group
    'stream-thread-metrics'
    """

    name: str
    group: str
    tags: tuple[tuple[str, str], ...] = ()
    """Names and values, such as `thread-id` and `task-id`."""
    description: str = field(default="", compare=False)

    def tag(self, name: str) -> str | None:
        """Return the value of a tag, None if there is none of that name.

        >>> from penstock.metrics import MetricName
        >>> MetricName("process-rate", "stream-task-metrics", (("task-id", "0_1"),)).tag("task-id")
        '0_1'
        """
        return dict(self.tags).get(name)


class Sensor(Protocol):
    """Takes measurements. Java: Sensor.

    >>> sensor = MockProcessorContext().metrics.add_sensor("basket-size")
    >>> sensor.record(3)
    """

    @property
    def name(self) -> str: ...
    def record(self, value: float = 1.0) -> None:
        """Take one measurement, such as how long an operation took.

        >>> sensor = MockProcessorContext().metrics.add_sensor("basket-size")
        >>> sensor.record(3)
        """


class StreamsMetrics(Protocol):
    """Sensors of a processor's own, one for each task. Java: StreamsMetrics.

    A sensor of level DEBUG takes nothing unless `metrics.recording.level` is DEBUG or TRACE, one
    of level TRACE only at TRACE. A call with
    the names of a sensor that is there returns that sensor. One whose metrics would have the names
    of Kafka's in that group is refused.

    >>> class Measured(Processor):
    ...     def init(self, context):
    ...         super().init(context)
    ...         self.sizes = context.metrics.add_sensor("order-size")
    ...     def process(self, record):
    ...         self.sizes.record(record.value)
    >>> _ = orders.process(Measured)
    >>> with driver_of(builder.build()) as driver:
    ...     driver.metrics()["order-size-max"]
    5.0
    """

    def add_rate_total_sensor(
        self,
        scope: str,
        entity: str,
        operation: str,
        *,
        level: RecordingLevel = "INFO",
        tags: Mapping[str, str] | None = None,
    ) -> Sensor:
        """Return a sensor that counts an operation: `<operation>-rate` and `-total` in group
        `stream-<scope>-metrics`, with the tag `<scope>-id` of value `entity`.

        >>> sensor = MockProcessorContext().metrics.add_rate_total_sensor("shop", "oslo", "sale")
        >>> sensor.record()
        """

    def add_latency_rate_total_sensor(
        self,
        scope: str,
        entity: str,
        operation: str,
        *,
        level: RecordingLevel = "INFO",
        tags: Mapping[str, str] | None = None,
    ) -> Sensor:
        """Return a sensor that also takes how long each operation lasts: `<operation>-latency-avg`
        and `-latency-max`, in the unit that is recorded.

        >>> metrics = MockProcessorContext().metrics
        >>> sensor = metrics.add_latency_rate_total_sensor("shop", "oslo", "call")
        >>> sensor.record(0.25)
        """

    def add_sensor(self, name: str, *, level: RecordingLevel = "INFO") -> Sensor:
        """Return a sensor of any quantity: `<name>-avg`, `-min`, `-max`, `-rate` and `-total` in
        group `stream-processor-node-metrics`.

        >>> MockProcessorContext().metrics.add_sensor("basket-size").name
        'basket-size'
        """

    def remove_sensor(self, sensor: Sensor) -> None:
        """Remove a sensor and its metrics.

        >>> metrics = MockProcessorContext().metrics
        >>> metrics.remove_sensor(metrics.add_sensor("basket-size"))
        """


_Samples: TypeAlias = list[tuple[MetricName, MetricValue]]


def prometheus_name(name: str, group: str) -> str:
    """Return what a metric is called in Prometheus, as the JMX exporter calls Java's.

    >>> from penstock.metrics import prometheus_name
    >>> prometheus_name("commit-latency-avg", "stream-thread-metrics")
    'kafka_streams_stream_thread_metrics_commit_latency_avg'
    """
    return _PREFIX + _NOT_IN_NAMES.sub("_", f"{group}_{name}")


def to_prometheus(metrics: Mapping[MetricName, MetricValue]) -> str:
    """Return metrics in Prometheus' text format.

    Counts (`-total`) are counters, all else are gauges, also totals that can fall: of bytes in
    caches, of what is left to restore, of a quantity of `StreamsMetrics.add_sensor`. A text, such
    as the state, is a label of that name on a gauge of value 1; one of several lines, such as the
    topology's description, is left out. Names take letters, digits and `_`: where two metrics, or
    two tags of a metric, would be called alike, the second, in their order, gets `_2`.

    >>> from penstock.metrics import MetricName, to_prometheus
    >>> print(to_prometheus({MetricName("process-total", "stream-thread-metrics"): 7}))
    # TYPE kafka_streams_stream_thread_metrics_process_total counter
    kafka_streams_stream_thread_metrics_process_total 7
    """
    families: dict[tuple[str, str], _Samples] = {}
    for name in sorted(metrics):
        value = metrics[name]
        if isinstance(value, str) and "\n" in value:
            continue
        families.setdefault((name.name, name.group), []).append((name, value))
    taken: dict[str, _Samples] = {}
    for family, samples in families.items():
        taken[_free(prometheus_name(*family), taken)] = samples
    lines = []
    for called, samples in sorted(taken.items()):
        first = samples[0][0]
        if first.description:
            lines.append(f"# HELP {called} {_escaped_help(first.description)}")
        lines.append(f"# TYPE {called} {'counter' if _only_grows(first) else 'gauge'}")
        names = _label_names(samples)
        lines += [
            f"{called}{_labels(name, value, names)} {_number(value)}" for name, value in samples
        ]
    return "\n".join(lines) + "\n" if lines else ""


def _only_grows(name: MetricName) -> bool:
    if not name.name.endswith("-total") or name.name in _FALLING:
        return False
    # A sensor of any quantity is in the group of its node, and has no description; others have one.
    return name.group != _NODE_GROUP or bool(name.description)


def _free(name: str, taken: Container[str]) -> str:
    """Return the name, or one with the first number that makes it another than all others."""
    numbered = (name if number == 1 else f"{name}_{number}" for number in count(1))
    return next(one for one in numbered if one not in taken)


def _label_names(samples: _Samples) -> dict[str, str]:
    """Return the label of each tag of a family."""
    taken: dict[str, str] = {}
    for tag in sorted({tag for name, _ in samples for tag, _ in name.tags}):
        taken[_free(_label_name(tag), taken)] = tag
    return {tag: label for label, tag in taken.items()}


def _labels(name: MetricName, value: MetricValue, names: Mapping[str, str]) -> str:
    pairs = {names[tag]: text for tag, text in name.tags}
    if isinstance(value, str):
        pairs[_free(_label_name(name.name), set(names.values()))] = value
    if not pairs:
        return ""
    return "{" + ",".join(f'{key}="{_escaped_label(text)}"' for key, text in pairs.items()) + "}"


def _label_name(tag: str) -> str:
    cleaned = _NOT_IN_NAMES.sub("_", tag)
    # Names must not begin with a digit; those with two underscores are Prometheus' own.
    return (
        f"tag_{cleaned}" if not cleaned or cleaned[0].isdigit() or cleaned[:2] == "__" else cleaned
    )


def _escaped_label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _escaped_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _number(value: MetricValue) -> str:
    if isinstance(value, str):
        return "1"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return repr(value) if isinstance(value, float) else str(int(value))
