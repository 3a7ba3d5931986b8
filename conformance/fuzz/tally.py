"""Counts what random programs were made of, so that nobody takes silence for coverage."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from conformance.fuzz.description import Description, Step
from conformance.harness import Line, Observation

_GROUPS = ("verbs", "windows", "joins", "options", "settings", "inputs", "results")

_JOINS = {"join", "left_join", "outer_join"}


class Tally:
    """How often each verb, window kind, join kind and option occurred, in how many programs."""

    def __init__(self) -> None:
        self.programs = 0
        self._counts: dict[str, Counter[str]] = {}

    def add(self, description: Description, seen: Observation) -> None:
        """Count a program and what became of it."""
        self.programs += 1
        kinds = _kinds(description.steps)
        for step in description.steps:
            for group, name in _of_step(step, kinds):
                self._count(group, name)
        for setting, value in description.config.items():
            self._count("settings", f"{setting}={value}")
        for name in _of_result(seen):
            self._count("results", name)
        for line in description.input:
            for name in _of_input(line):
                self._count("inputs", name)

    def lines(self) -> Iterator[str]:
        """Tell the counts, group by group."""
        for group in _GROUPS:
            counts = sorted(self._counts.get(group, {}).items())
            told = ", ".join(f"{name} {count}" for name, count in counts)
            yield from textwrap.wrap(f"{group}: {told}", 100, subsequent_indent="  ")

    def names(self, group: str) -> set[str]:
        """Give what has occurred of a group."""
        return set(self._counts.get(group, ()))

    def _count(self, group: str, name: str) -> None:
        self._counts.setdefault(group, Counter())[name] += 1


def _kinds(steps: list[Step]) -> dict[str, str]:
    """Tell of each result whether it is a stream, a table, a global table or a group."""
    kinds: dict[str, str] = {}
    for step in steps:
        verb, of = step["verb"], kinds.get(step.get("of", ""), "")
        if verb in {"stream", "table", "global_table"}:
            kind = verb
        elif verb == "to_stream":
            kind = "stream"
        elif verb in {"to_table", "count", "reduce", "aggregate"}:
            kind = "table"
        elif verb in {"group_by", "group_by_key"}:
            kind = "grouped_table" if of == "table" else "group"
        elif verb == "cogroup":
            kind = "cogroup"
        elif verb == "windowed_by":
            kind = f"windowed_{of}"
        else:
            kind = of
        for name in [step.get("id"), *(branch["id"] for branch in step.get("branches", ()))]:
            if name is not None:
                kinds[name] = kind
    return kinds


def _of_step(step: Step, kinds: dict[str, str]) -> Iterator[tuple[str, str]]:
    verb, of = step["verb"], kinds.get(step.get("of", ""))
    yield "verbs", verb if of is None else f"{of}.{verb}"
    if verb in _JOINS:
        yield "joins", _join_kind(step, str(of), kinds[step["with"]])
    elif "windows" in step:
        emits = " on close" if step.get("emit") == "close" else ""
        yield "windows", step["windows"]["kind"] + emits
    elif verb == "suppress":
        yield "windows", f"suppress until {step['until']}"
    for part in ("materialized", "named", "grouped"):
        if part in step:
            yield "options", part
    for part in step.get("materialized", ()):
        yield "options", f"materialized {part}"


def _join_kind(step: Step, of: str, other: str) -> str:
    if of == "table" and "key" in step:
        other = "foreign key"
    elif step["of"] == step["with"]:
        other = "itself"
    grace = " with grace" if "grace" in step.get("joined", ()) else ""
    return f"{of}-{other} {step['verb']}{grace}"


def _of_result(seen: Observation) -> Iterator[str]:
    if any("output" in line for line in seen.lines):
        yield "with output"
    if any("dropped" in line for line in seen.lines):
        yield "with dropped records"
    for kind in ("error", "build_error", "close_error"):
        for line in seen.lines:
            if kind in line:
                yield f"{kind} {line[kind]}"


def _of_input(line: Line) -> Iterator[str]:
    if "advance_wall_clock" in line:
        yield "advances of the clock"
        return
    yield "records"
    if "key" not in line:
        yield "records without key"
    if "value" not in line:
        yield "records without value"
