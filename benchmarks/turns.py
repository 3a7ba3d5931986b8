"""A contest's runs, taken together: rates, costs, and whether the results were Java's. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import figures, outcome
from benchmarks.figures import Rate
from benchmarks.outcome import Outcome
from benchmarks.throughput import Run


class Turns:
    """The runs of one contest. What Java wrote is what all must have written; until Java had
    its first turn, others wait for the verdict.
    """

    def __init__(self, records: int) -> None:
        self.expected: Outcome | None = None
        self._records = records
        self._rates: dict[str, list[Rate]] = {}
        self._costs: dict[str, list[dict[str, Any]]] = {}
        self._memory_by_part: dict[str, list[Mapping[str, float]]] = {}
        self._differences: dict[str, str | None] = {}
        self._waiting: dict[str, Outcome] = {}

    def add(self, contender: str, run: Run) -> str:
        """Take a run; say what is wrong with its result."""
        self._rates.setdefault(contender, []).append(run.rate)
        self._costs.setdefault(contender, []).append(run.costs(self._records))
        self._memory_by_part.setdefault(contender, []).append(run.memory_by_part_mb)
        self._waiting[contender] = run.outcome
        if contender == "java" and self.expected is None:
            self.expected = run.outcome
        size = f"{run.outcome.size:,} results"
        if self.expected is None:
            return f"{size}, to be compared"
        told = []
        for name in list(self._waiting):
            wrong = outcome.difference(self.expected, self._waiting.pop(name))
            self._differences[name] = self._differences.get(name) or wrong
            verdict = f"NOT JAVA'S: {wrong}" if wrong else "equal"
            told.append(verdict if name == contender else f"{name}'s before: {verdict}")
        return f"{size}, {', '.join(reversed(told))}"

    def measurements(self) -> dict[str, dict[str, Any]]:
        """Return what is kept of each contender."""
        found = {}
        for name, rates in self._rates.items():
            costs, own = self._costs[name], [rate.own for rate in rates]
            compared = name in self._differences
            found[name] = {
                "median": round(figures.median(own)),
                "spread_percent": round(figures.spread_percent(own), 1),
                "rates": [round(rate) for rate in own],
                "stolen_percent": [round(rate.stolen * 100, 1) for rate in rates],
                "records": self._records,
                **{
                    cost: round(figures.median([each[cost] for each in costs]), 1)
                    for cost in costs[0]
                },
                "memory_by_part_mb": _medians(self._memory_by_part[name]),
                "equal_to_java": self._differences[name] is None if compared else None,
                "difference": self._differences.get(name),
            }
        return found


def _medians(runs: Sequence[Mapping[str, float]]) -> dict[str, int]:
    """Return each part's median; a part that was never there is left out."""
    medians = {part: round(figures.median([run[part] for run in runs])) for part in runs[0]}
    return {part: mb for part, mb in medians.items() if mb}
