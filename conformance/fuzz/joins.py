"""The joins of a described program."""

from __future__ import annotations

from typing import Any

from conformance.fuzz import functions, options
from conformance.fuzz.description import Step
from penstock import GlobalKTable, JoinWindows, KStream, KTable, TableJoined


def join(step: Step, of: Any, other: Any) -> Any:
    """Join two results with the verb of the step."""
    if isinstance(of, KTable):
        return _of_tables(step, of, other)
    if "key_joiner" in step:
        verb = getattr(of, f"{step['verb']}_with_key")
        joiner: Any = functions.KEY_JOINERS[step["key_joiner"]]
    else:
        verb, joiner = getattr(of, step["verb"]), functions.JOINERS[step["f"]]
    if isinstance(other, KStream):
        return verb(other, joiner, _windows(step["windows"]), options.given(step, "stream_joined"))
    if isinstance(other, GlobalKTable):
        selector = functions.SELECTORS[step["key"]]
        return verb(other, selector, joiner, named=step.get("named"))
    return verb(other, joiner, options.given(step, "joined"))


def _windows(option: dict[str, int]) -> JoinWindows:
    others = {name: time for name, time in option.items() if name != "difference"}
    return JoinWindows.of_time_difference(option["difference"], **others)


def _of_tables(step: Step, of: Any, other: Any) -> Any:
    verb, joiner = getattr(of, step["verb"]), functions.JOINERS[step["f"]]
    given: dict[str, Any] = {}
    if (materialized := options.given(step, "materialized")) is not None:
        given["materialized"] = materialized
    if "key" in step:
        if "named" in step:
            given["table_joined"] = TableJoined(step["named"])
        return verb(other, functions.SELECTORS[step["key"]], joiner, **given)
    return verb(other, joiner, named=step.get("named"), **given)
