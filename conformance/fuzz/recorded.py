"""The short set of programs whose expectations are kept, so that it is replayed without Java.

`python -m conformance.fuzz.recorded` draws it anew, with Java: programs that together have every
verb, window, join and option, each several times. Do it when a verb is new; read the difference.
"""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.fuzz import generator, observe
from conformance.fuzz.description import Description
from conformance.fuzz.oracle import Oracle
from conformance.fuzz.tally import Tally
from conformance.harness import Observation

PROGRAMS = Path(__file__).parent / "recorded" / "programs.jsonl"

# Numbers of their own, so that `make fuzz` does not try the same programs again.
_FIRST, _TRIED = 1_000_000, 1_500

# How often each verb, window kind, join kind and option occurs in the set, at least.
_OFTEN = 2

# What is read by nobody must not be large: a program with more output than this is left out.
_LARGEST_RECORDING = 12_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """A program and what Java made of it."""

    seed: int
    description: Description
    expected: Observation

    def to_json(self) -> str:
        """Write it on one line."""
        whole = {
            "seed": self.seed,
            "program": json.loads(self.description.to_json()),
            "lines": self.expected.lines,
            "topology": self.expected.topology,
        }
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> Recorded:
        """Read what `to_json` wrote."""
        whole = json.loads(text)
        program = Description.from_json(json.dumps(whole["program"]))
        return Recorded(whole["seed"], program, Observation(whole["lines"], whole["topology"]))


def load() -> list[Recorded]:
    """Read the set."""
    # Not splitlines: a JSON string may hold U+2028 and its like.
    lines = PROGRAMS.read_text(encoding="utf-8").split("\n")
    return [Recorded.from_json(line) for line in lines if line]


def choose(candidates: list[Recorded]) -> list[Recorded]:
    """Choose programs, the small ones first, until everything occurs often enough."""
    found: Counter[str] = Counter()
    chosen: list[Recorded] = []
    for candidate in sorted(candidates, key=lambda recorded: len(recorded.to_json())):
        parts = set(_parts(candidate))
        if any(found[part] < _OFTEN for part in parts):
            found.update(parts)
            chosen.append(candidate)
    return sorted(chosen, key=lambda recorded: recorded.seed)


def _parts(recorded: Recorded) -> Iterator[str]:
    tally = Tally()
    tally.add(recorded.description, recorded.expected)
    for group in ("verbs", "windows", "joins", "options", "settings", "results"):
        yield from tally.names(group)


def main() -> int:
    """Draw the set anew and write it."""
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    seeds = range(_FIRST, _FIRST + _TRIED)
    descriptions = [generator.generate(seed) for seed in seeds]
    with Oracle() as oracle:
        expected = list(oracle.observe_all(descriptions))
    candidates = [
        recorded
        for recorded in map(Recorded, seeds, descriptions, expected)
        if len(recorded.to_json()) < _LARGEST_RECORDING
    ]
    chosen = choose(candidates)
    PROGRAMS.parent.mkdir(exist_ok=True)
    text = "".join(recorded.to_json() + "\n" for recorded in chosen)
    PROGRAMS.write_text(text, encoding="utf-8")
    print(f"{len(chosen)} programs written, {len(text)} characters")
    differing = [
        recorded.seed
        for recorded in chosen
        if observe.differing(recorded.description, recorded.expected)
    ]
    if differing:
        print(f"Python differs in {differing}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
