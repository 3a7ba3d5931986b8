"""Is this argument what a topology can use? Each check raises a TopologyError that says what was
expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from penstock._engine.topology.naming import check_name
from penstock.errors import TopologyError
from penstock.processor import FixedKeyProcessor, Processor
from penstock.serdes import Serde

T = TypeVar("T")

_OFFSET_RESETS = ("earliest", "latest", "none")


def check_function(function: object, what: str) -> None:
    """Refuse anything that cannot be called."""
    if not callable(function):
        msg = f"{what} must be a function; got {function!r}"
        raise TopologyError(msg)


def check_option(option: object, kind: type[T], verb: str) -> T:
    """Refuse an option object of another verb: `to(..., Consumed(...))`."""
    if not isinstance(option, kind):
        msg = f"{verb} takes a {kind.__name__}; got {option!r}"
        raise TopologyError(msg)
    return option


def check_serde(serde: object, what: str) -> None:
    """Refuse anything that is no serde, the common slip of passing its factory included."""
    if serde is None or isinstance(serde, Serde):
        return
    factory = getattr(serde, "__name__", None) if _from_serdes(serde) else None
    hint = f"; did you mean serdes.{factory}()?" if factory else ""
    msg = f"{what} serde must be a Serde; got {serde!r}{hint}"
    raise TopologyError(msg)


def check_offset_reset(policy: str | None) -> None:
    """Refuse anything but Kafka's reset policies."""
    if policy is not None and policy not in _OFFSET_RESETS:
        msg = f"offset_reset must be one of {', '.join(map(repr, _OFFSET_RESETS))}; got {policy!r}"
        raise TopologyError(msg)


def split_topics(topics: Iterable[object]) -> tuple[tuple[str, ...], re.Pattern[str] | None]:
    """Tell topic names from a pattern; one source has the ones or the other."""
    given = tuple(topics)
    if not given:
        msg = "a source must read at least one topic; got none"
        raise TopologyError(msg)
    if len(given) == 1 and isinstance(given[0], re.Pattern):
        return (), given[0]
    names = []
    for topic in given:
        if not isinstance(topic, str):
            msg = f"a topic must be a str, or the only one a compiled pattern; got {topic!r}"
            raise TopologyError(msg)
        names.append(check_topic(topic))
    return tuple(names), None


def check_topic(topic: str) -> str:
    """Refuse a name that no Kafka topic can have."""
    try:
        return check_name(topic)
    except TopologyError as error:
        msg = f"topic {topic!r} cannot exist: {error}"
        raise TopologyError(msg) from None


def check_sink_topic(topic: object) -> None:
    """Refuse what cannot be written to; a pattern is the usual mistake."""
    if isinstance(topic, re.Pattern):
        msg = (
            f"a sink must write to one topic; got the pattern {topic.pattern!r}; "
            "to choose the topic per record pass a function (key, value, record_context) -> topic"
        )
        raise TopologyError(msg)
    if isinstance(topic, str):
        check_topic(topic)
        return
    if not callable(topic):
        msg = (
            "a sink's topic must be a str or a function (key, value, record_context) -> topic; "
            f"got {topic!r}"
        )
        raise TopologyError(msg)


def check_supplier(
    supplier: Callable[[], Any],
) -> Processor[Any, Any, Any, Any] | FixedKeyProcessor[Any, Any, Any]:
    """Refuse a supplier that gives no processor, or the same one twice; give one of its "
    "processors."""
    if isinstance(supplier, (Processor, FixedKeyProcessor)):
        msg = (
            "a processor supplier must make a new processor each time; got the processor "
            f"{supplier!r}; pass its class"
        )
        raise TopologyError(msg)
    check_function(supplier, "a processor supplier")
    first, second = supplier(), supplier()
    if first is second:
        msg = (
            f"processor supplier {supplier!r} must give a new processor each time; it gave the "
            "same one twice"
        )
        raise TopologyError(msg)
    if not isinstance(first, (Processor, FixedKeyProcessor)):
        msg = (
            f"processor supplier {supplier!r} must give a Processor or FixedKeyProcessor; it gave "
            f"{first!r}"
        )
        raise TopologyError(msg)
    return first


def check_writable(path: object) -> None:
    """Refuse a file that cannot be written; like Java's, the check leaves it there and empty."""
    if not isinstance(path, str) or not path.strip():
        msg = f"a file path must be a str that is not empty; got {path!r}"
        raise TopologyError(msg)
    try:
        Path(path).write_text("")
    except OSError as error:
        msg = f"cannot write to file {path!r}: {error.strerror}"
        raise TopologyError(msg) from error


def _from_serdes(serde: object) -> bool:
    return str(getattr(serde, "__module__", "")).startswith("penstock.serdes")
