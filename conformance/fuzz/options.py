"""The options of a described step, as the DSL takes them."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.description import Step
from penstock import (
    BufferConfig,
    Consumed,
    Grouped,
    Joined,
    Materialized,
    Produced,
    Repartitioned,
    SessionWindows,
    SlidingWindows,
    StreamJoined,
    TimeWindows,
    UnlimitedWindows,
    serdes,
)
from penstock.record import ConsumerRecord
from penstock.serdes import Serde

_KINDS: dict[str, Any] = {
    "consumed": Consumed,
    "produced": Produced,
    "repartitioned": Repartitioned,
    "grouped": Grouped,
    "materialized": Materialized,
    "joined": Joined,
    "stream_joined": StreamJoined,
}


def serde(name: str | None) -> Serde[Any] | None:
    """Give the serde of that name, None for none."""
    if name is None:
        return None
    kind, _, rest = name.partition("/")
    if kind == "string":
        return serdes.string()
    if kind == "long":
        return serdes.long()
    if kind == "session":
        return serdes.session_windowed(serde(rest))
    size, _, inner = rest.partition("/")
    return serdes.time_windowed(serde(inner), int(size))


def given(step: Step, name: str) -> Any:
    """Give the option of that name, None if the step does not have it."""
    if name not in step:
        return None
    return _KINDS[name](**dict(_part(part, value) for part, value in step[name].items()))


def _part(name: str, value: Any) -> tuple[str, Any]:
    """Give a part of an option under Python's name for it."""
    if name in {"key", "value", "other_value"}:
        return name, serde(value)
    if name == "half_time":
        return "timestamp_extractor", _half_time
    return ("history_retention" if name == "history" else name), value


def _half_time(record: ConsumerRecord, partition_time: int) -> int:  # noqa: ARG001
    """Say of all that happens that it happened at half its time: the one extractor there is."""
    return record.timestamp // 2


def buffer(step: Step) -> BufferConfig:
    """Give the buffer of a `suppress`."""
    return BufferConfig(
        max_records=step.get("max_records"),
        max_bytes=step.get("max_bytes"),
        when_full=step.get("full", "shut_down"),
        logging=step.get("logging", True),
    )


def windows(option: dict[str, Any]) -> Any:
    """Give the windows of a grouping."""
    kind, grace = option["kind"], option.get("grace", 0)
    if kind == "sliding":
        return SlidingWindows.of_time_difference(option["difference"], grace=grace)
    if kind == "session":
        return SessionWindows.of_inactivity_gap(option["gap"], grace=grace)
    if kind == "unlimited":
        return UnlimitedWindows.of(start=option.get("start", 0))
    return TimeWindows.of_size(option["size"], advance=option.get("advance"), grace=grace)
