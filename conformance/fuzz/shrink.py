"""Makes a program that shows a difference smaller, as long as it still shows one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.fuzz.description import Description, Step, result_ids, used_ids

Shows = Callable[[Description], bool]

# What a step can do without; the rest is what it does.
_OPTIONS = {
    "named", "consumed", "produced", "repartitioned", "grouped", "materialized", "joined",
    "stream_joined", "emit", "windows", "store", "logging", "max_records", "max_bytes",
}  # fmt: skip

# What an option cannot do without.
_NEEDED = {"kind", "size", "gap", "difference", "store", "history"}


def shrink(description: Description, shows: Shows) -> Description:
    """Give the smallest program found for which `shows` is true."""
    while True:
        for smaller in _smaller(description):
            if shows(smaller):
                description = smaller
                break
        else:
            return description


def _smaller(description: Description) -> Iterator[Description]:
    """Give programs a little smaller, those that may save most first."""
    for steps in _fewer_steps(description.steps):
        yield Description(steps, _readable(description.input, steps), description.config)
    for inputs in _fewer(description.input):
        yield Description(description.steps, inputs, description.config)
    for key in description.config:
        config = {name: value for name, value in description.config.items() if name != key}
        yield Description(description.steps, description.input, config)
    for index, step in enumerate(description.steps):
        for simpler in _simpler(step):
            steps = [*description.steps[:index], simpler, *description.steps[index + 1 :]]
            yield Description(steps, description.input, description.config)
    for index, line in enumerate(description.input):
        if "headers" in line:
            bare = {name: value for name, value in line.items() if name != "headers"}
            inputs = [*description.input[:index], bare, *description.input[index + 1 :]]
            yield Description(description.steps, inputs, description.config)


def _fewer(items: list[Any]) -> Iterator[list[Any]]:
    """Leave out halves, then quarters, and so on down to single ones."""
    size = len(items) // 2
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2


def _fewer_steps(steps: list[Step]) -> Iterator[list[Step]]:
    for index, step in enumerate(steps):
        yield _without(steps, index)
        if "of" in step and "id" in step:
            yield _bypassed(steps, index)


def _without(steps: list[Step], index: int) -> list[Step]:
    """Leave out a step and all that rests on it."""
    lost = set(result_ids(steps[index]))
    kept = steps[:index]
    for step in steps[index + 1 :]:
        if lost.isdisjoint(used_ids(step)):
            kept.append(step)
        else:
            lost.update(result_ids(step))
    return kept


def _bypassed(steps: list[Step], index: int) -> list[Step]:
    """Leave out a step and let what rests on it rest on what it rests on."""
    gone = steps[index]
    return [
        {
            name: gone["of"] if name in {"of", "with"} and value == gone["id"] else value
            for name, value in step.items()
        }
        for position, step in enumerate(steps)
        if position != index
    ]


def _readable(lines: list[Any], steps: list[Step]) -> list[Any]:
    """Leave out input for topics that nothing reads."""
    topics = {topic for step in steps for topic in step.get("topics", [step.get("topic")])}
    return [line for line in lines if line.get("topic") in topics or "topic" not in line]


def _simpler(step: Step) -> Iterator[Step]:
    """Leave out an option, or a part of one."""
    for name, value in step.items():
        if name == "branches" and len(value) > 1:
            for branches in _fewer(value):
                yield {**step, name: branches}
        if name not in _OPTIONS:
            continue
        if name not in {"windows", "store"}:
            yield {field: given for field, given in step.items() if field != name}
        if isinstance(value, dict):
            needed = _NEEDED | ({"name"} if name == "store" or "history" in value else set())
            for part in value.keys() - needed:
                rest = {field: given for field, given in value.items() if field != part}
                yield {**step, name: rest}
