"""How outputs are compared with the model while they come: lost, doubled, reordered, wrong.

Under exactly-once every check is exact. Under at-least-once nothing may be missing; doubles are
counted, and counts may be too high but never too low.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Protocol

from tests.chaos.model import Model

EXAMPLES = 5


@dataclass
class Findings:
    """What was wrong with an output so far."""

    doubled: int = 0
    reordered: int = 0
    wrong: int = 0

    def __sub__(self, other: Findings) -> Findings:
        return Findings(
            self.doubled - other.doubled,
            self.reordered - other.reordered,
            self.wrong - other.wrong,
        )

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.doubled + other.doubled,
            self.reordered + other.reordered,
            self.wrong + other.wrong,
        )


class Check(Protocol):
    """The check of one output topic."""

    findings: Findings
    examples: list[str]

    def see(self, key: str, value: bytes) -> None:
        """Take an output record."""

    def missing(self, model: Model) -> list[str]:
        """Return what the model expects and was not seen."""


class Counting:
    """Counts of keys: 1, 2, 3, ... under exactly-once; the last is never too low."""

    def __init__(self, attribute: str, *, exact: bool) -> None:
        self.findings, self.examples = Findings(), list[str]()
        self._attribute, self._exact = attribute, exact
        self._last: Counter[str] = Counter()
        self._skipped: dict[str, set[int]] = defaultdict(set)
        self._too_high = set[str]()

    def see(self, key: str, value: bytes) -> None:
        """Take the next count of a key."""
        count, last = int.from_bytes(value, "big"), self._last[key]
        if count > last:
            self._skipped[key].update(range(last + 1, count))
            self._last[key] = count
        elif count in self._skipped[key]:
            self._skipped[key].remove(count)
            self._note(f"{key}={count} after {last}", "reordered")
        else:
            self._note(f"{key}={count} after {last}", "doubled")

    def missing(self, model: Model) -> list[str]:
        """Return the keys whose counts are too low or, under exactly-once, have gaps."""
        expected: Counter[str] = getattr(model, self._attribute)
        found = [
            f"{key}: {self._last[key]} of {count}"
            for key, count in expected.items()
            if self._last[key] < count
        ]
        if self._exact:
            found += [f"{key}: no {sorted(gap)[:9]}" for key, gap in self._skipped.items() if gap]
            too_high = [key for key in self._last if self._last[key] > expected[key]]
            new = set(too_high) - self._too_high
            self._too_high |= new
            self.findings.wrong += len(new)
            self.examples += [f"{key}: {self._last[key]} of {expected[key]}" for key in new]
        return found

    def _note(self, example: str, kind: str) -> None:
        if not self._exact and kind == "reordered":
            kind = "doubled"
        setattr(self.findings, kind, getattr(self.findings, kind) + 1)
        self.examples.append(example)


class Sequence:
    """Values of keys in their order: exactly those of the model, or at least all of them."""

    def __init__(self, attribute: str, *, exact: bool, counted: bool = False) -> None:
        self.findings, self.examples = Findings(), list[str]()
        self._attribute, self._exact, self._counted = attribute, exact, counted
        self._seen: dict[str, list[str]] = defaultdict(list)

    def see(self, key: str, value: bytes) -> None:
        """Take the next value of a key."""
        self._seen[key].append(value.decode())

    def missing(self, model: Model) -> list[str]:
        """Return the values that did not come; note those that came in excess or disorder."""
        expected: dict[str, list[str]] = getattr(model, self._attribute)
        found: list[str] = []
        for key, values in expected.items():
            found += self._compare(key, values, self._seen[key])
        return found

    def _compare(self, key: str, values: list[str], seen: list[str]) -> list[str]:
        if seen == values:
            return []
        wanted, got = Counter(values), Counter(seen)
        if not self._exact:
            if self._counted:
                return _too_low(key, values, seen)
            self.findings.doubled += sum(got.values()) - len(got)
            self._seen[key] = list(got)
            return [f"{key}: {value}" for value in wanted if value not in got]
        lost = wanted - got
        excess = dict((got - wanted).items())
        for value, often in excess.items():
            # One that is new or comes too early, and one that the model does not know.
            self.findings.doubled += often if value in wanted else 0
            self.findings.wrong += often if value not in wanted else 0
            self.examples.append(f"{key}: {value} {often} times too often")
            for _ in range(often):
                seen.reverse()
                seen.remove(value)
                seen.reverse()
        if not lost and seen != values:
            self.findings.reordered += 1
            self.examples.append(f"{key}: in another order")
            self._seen[key] = list(values)
        return [f"{key}: {value}" for value in lost.elements()]


def _too_low(key: str, values: list[str], seen: list[str]) -> list[str]:
    """Return the windows whose best count is below the model's."""
    best: dict[str, int] = {}
    for value in seen:
        window, _, count = value.partition("=")
        best[window] = max(best.get(window, 0), 0 if count == "None" else int(count))
    wanted: dict[str, int] = {}
    for value in values:
        window, _, count = value.partition("=")
        if count != "None":
            wanted[window] = int(count)
    # A session that grew on is gone: only the last window of each session has to be there.
    gone = {value.partition("=")[0] for value in values if value.endswith("=None")}
    return [
        f"{key}: {window}={count}"
        for window, count in wanted.items()
        if window not in gone and best.get(window, 0) < count
    ]


class Once:
    """A set of records, each once: closed windows, matches of a join."""

    def __init__(self, attribute: str, *, exact: bool, allowed: str | None = None) -> None:
        self.findings, self.examples = Findings(), list[str]()
        self._attribute, self._exact = attribute, exact
        self._allowed = allowed or attribute
        self._seen: Counter[tuple[str, str]] = Counter()
        self._pending: set[tuple[str, str]] = set()

    def see(self, key: str, value: bytes) -> None:
        """Take a record; a second one is a double at once."""
        record = (key, value.decode())
        self._seen[record] += 1
        if self._seen[record] > 1:
            self.findings.doubled += 1
            self.examples.append(f"{record} again")
        else:
            self._pending.add(record)

    def missing(self, model: Model) -> list[str]:
        """Return what did not come; note what the model does not know."""
        expected, allowed = _of(model, self._attribute), _of(model, self._allowed)
        unknown = self._pending - allowed
        lost = expected - set(self._seen)
        self._pending = set()
        if self._exact:
            self.findings.wrong += len(unknown)
            self.examples += [f"{record} is not expected" for record in sorted(unknown)[:EXAMPLES]]
        else:
            lost = {one for one in lost if not self._counted_higher(one)}
        return [f"{key}: {value}" for key, value in sorted(lost)]

    def _counted_higher(self, record: tuple[str, str]) -> bool:
        key, value = record
        window, _, count = value.partition("=")
        return count != "" and any(
            its_key == key
            and its_value.partition("=")[0] == window
            and int(its_value.partition("=")[2]) > int(count)
            for its_key, its_value in self._seen
        )


def _of(model: Model, attribute: str) -> set[tuple[str, str]]:
    known = getattr(model, attribute)
    found: set[tuple[str, str]] = known() if callable(known) else known
    return found


class LastRows:
    """The last value of each key is the model's, under both guarantees."""

    def __init__(self, attribute: str) -> None:
        self.findings, self.examples = Findings(), list[str]()
        self._attribute = attribute
        self._rows: dict[str, str] = {}

    def see(self, key: str, value: bytes) -> None:
        """Take a row."""
        self._rows[key] = value.decode()

    def missing(self, model: Model) -> list[str]:
        """Return the rows that are not there, or older."""
        known = getattr(model, self._attribute)
        expected: dict[str, str] = known() if callable(known) else known
        return [
            f"{key}: {self._rows.get(key)} instead of {value}"
            for key, value in expected.items()
            if self._rows.get(key) != value
        ]


class DeadLetters:
    """As many dead letters as records that cannot be read or written."""

    def __init__(self, *, exact: bool) -> None:
        self.findings, self.examples = Findings(), list[str]()
        self._exact, self._seen, self._noted = exact, 0, 0

    def see(self, key: str, value: bytes) -> None:
        """Take a dead letter."""
        self._seen += 1

    def missing(self, model: Model) -> list[str]:
        """Return how many are missing; note how many are too many."""
        excess = self._seen - model.dead
        if excess > self._noted:
            self.findings.doubled += excess - self._noted
            self._noted = excess
            self.examples.append(f"{self._seen} dead letters instead of {model.dead}")
        return ["a dead letter"] * max(0, -excess)


class Blobs:
    """Outputs whose sizes are those of the model."""

    def __init__(self, *, exact: bool) -> None:
        self.findings, self.examples = Findings(), list[str]()
        self._exact = exact
        self._seen: Counter[str] = Counter()
        self._noted: Counter[str] = Counter()

    def see(self, key: str, value: bytes) -> None:
        """Take an output; only its size is kept."""
        self._seen[f"{key}:{len(value)}"] += 1

    def missing(self, model: Model) -> list[str]:
        """Return the sizes that did not come; note those that came too often."""
        excess = self._seen - model.blobs - self._noted
        self.findings.doubled += excess.total()
        self.examples += [f"{blob} again" for blob in excess]
        self._noted += excess
        return list((model.blobs - self._seen).elements())


def all_checks(guarantee: str) -> dict[str, Check]:
    """Return the check of each output of the program."""
    exact = guarantee == "exactly_once_v2"
    return {
        "counts": Counting("counts", exact=exact),
        "letters": Counting("letters", exact=exact),
        "closed": Once("closed_windows", exact=exact),
        "final": Once("long_closed_windows", exact=exact, allowed="closed_windows"),
        "sessions": Sequence("sessions", exact=exact, counted=True),
        "matches": Once("matches", exact=exact),
        "joined": Sequence("joined", exact=exact),
        "profiles-out": LastRows("profiles"),
        "orders-out": LastRows("placed"),
        "blobs-out": Blobs(exact=exact),
        "dead": DeadLetters(exact=exact),
    }
