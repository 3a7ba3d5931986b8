"""Says in a few lines how what Python did differs from what Java did."""

from __future__ import annotations

import difflib
import json
import traceback
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from conformance.harness import Case, Line, Observation

_NOTHING: Any = object()

# What follows the first wrong step is mostly its consequence.
_STEPS_SHOWN = 2


def describe(case: Case, seen: Observation) -> list[str]:
    """Return the differences, none if Java and Python agree."""
    return between(case.steps, Observation(case.expected, case.expected_topology), seen)


def between(steps: list[Line], expected: Observation, seen: Observation) -> list[str]:
    """Return the differences between two runs on the same steps."""
    lines = list(of_steps(steps, expected.lines, seen.lines))
    if expected.topology != seen.topology:
        lines += _topology(expected.topology, seen.topology)
    if lines:
        for error in seen.exceptions:
            lines += _chain(error)
    return lines


def of_steps(steps: list[Line], expected: list[Line], got: list[Line]) -> Iterator[str]:
    """Yield which steps differ, and in what."""
    pairs = list(zip_longest(expected, got, fillvalue=_NOTHING))
    differing = [index for index, (java, python) in enumerate(pairs) if java != python]
    for index in differing[:_STEPS_SHOWN]:
        step = _text(steps[index]) if index < len(steps) else "start and close"
        yield f"  step {index + 1}: {step}"
        yield from _parts(*pairs[index])
    if len(differing) > _STEPS_SHOWN:
        yield f"  and {len(differing) - _STEPS_SHOWN} more steps"


def _parts(expected: Line, got: Line) -> Iterator[str]:
    if expected is _NOTHING or got is _NOTHING:
        yield from _pair("the whole step", expected, got)
        return
    for part in sorted({*expected, *got}):
        yield from _values(part, expected.get(part, _NOTHING), got.get(part, _NOTHING))


def _values(path: str, expected: Any, got: Any) -> Iterator[str]:
    if expected == got:
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted({*expected, *got}):
            yield from _values(f"{path}.{key}", expected.get(key, _NOTHING), got.get(key, _NOTHING))
    elif isinstance(expected, list) and isinstance(got, list):
        for index, pair in enumerate(zip_longest(expected, got, fillvalue=_NOTHING)):
            yield from _values(f"{path}[{index}]", *pair)
    else:
        yield from _pair(path, expected, got)


def _pair(path: str, expected: Any, got: Any) -> Iterator[str]:
    yield f"    {path}: expected {_text(expected)}"
    yield f"    {' ' * len(path)}       got {_text(got)}"


def _topology(expected: str | None, got: str | None) -> Iterator[str]:
    if expected is None or got is None:
        yield f"  topology.txt: expected {_built(expected)}, got {_built(got)}"
        return
    yield "  topology.txt:"
    for line in difflib.unified_diff(
        expected.splitlines(), got.splitlines(), "expected", "got", lineterm="", n=2
    ):
        yield f"    {line}"


def _built(topology: str | None) -> str:
    return "a topology that cannot be built" if topology is None else "one that can"


def _chain(error: BaseException) -> Iterator[str]:
    verb = "raised"
    cause: BaseException | None = error
    while cause is not None:
        frames = traceback.extract_tb(cause.__traceback__)
        place = f" (at {frames[-1].filename}:{frames[-1].lineno})" if frames else ""
        yield f"  {verb} {type(cause).__name__}: {cause}{place}"
        verb, cause = "  because of", cause.__cause__


def _text(value: Any) -> str:
    return "nothing" if value is _NOTHING else json.dumps(value, ensure_ascii=False)
