"""A versioned store behaves like the list of all puts: on every engine, committed or not, and
restored from its changelog.

The model keeps everything. What a store may have forgotten, because it is too old, is not asked
for; how it forgets is in the conformance cases.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from penstock import serdes
from penstock.stores import NEWEST, NOT_PUT, VersionedRecord
from penstock.stores._builders import versioned_store_builder
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES, EngineCase, engine_names

HISTORY = 100
SEGMENT = 30

KEYS = st.sampled_from(["a", "b", ""])
STEPS = st.integers(0, 60)
AGES = st.integers(0, 130)
VALUES = st.sampled_from(["x", "y", "", None])


@dataclass
class Model:
    """All versions of all keys by their times."""

    versions: dict[str, dict[int, str | None]] = field(default_factory=dict)
    observed: int = -1
    dropped: int = 0

    def copy(self) -> Model:
        versions = {key: dict(versions) for key, versions in self.versions.items()}
        return Model(versions, self.observed, self.dropped)

    def put(self, key: str, value: str | None, timestamp: int) -> bool:
        """Put a version; False if it is too old."""
        if timestamp < self.observed - HISTORY:
            self.dropped += 1
            return False
        self.observed = max(self.observed, timestamp)
        self.versions.setdefault(key, {})[timestamp] = value
        return True

    def is_newest(self, key: str, timestamp: int) -> bool:
        """Return whether that is the time of the newest version: deleted then it may leave no
        trace, as in Java, so that a version before that time becomes the newest.
        """
        return max(self.versions.get(key, {}), default=None) == timestamp

    def get(self, key: str, as_of: int) -> VersionedRecord[str] | None:
        versions = self.versions.get(key, {})
        since = max((time for time in versions if time <= as_of), default=None)
        value = None if since is None else versions[since]
        return None if value is None or since is None else VersionedRecord(value, since)


class VersionMachine(RuleBasedStateMachine):
    """Does the same to a store and to the model, and compares what is read."""

    case: EngineCase

    @initialize()
    def open(self) -> None:
        text = serdes.string()
        builder = versioned_store_builder(
            "s", text, text, history_retention_ms=HISTORY, segment_interval_ms=SEGMENT
        )
        self.bench = Bench(builder, self.case)
        self.current, self.committed = Model(), Model()

    def teardown(self) -> None:
        if hasattr(self, "bench"):
            self.bench.close()

    @rule(key=KEYS, value=VALUES, step=STEPS)
    def put_later(self, key: str, value: str | None, step: int) -> None:
        timestamp = max(0, self.current.observed) + step
        self._put(key, value, timestamp)

    @rule(key=KEYS, value=VALUES, age=AGES)
    def put_late(self, key: str, value: str | None, age: int) -> None:
        timestamp = max(0, self.current.observed - age)
        self._put(key, value, timestamp)

    @rule(key=KEYS, age=AGES)
    def delete(self, key: str, age: int) -> None:
        timestamp = max(0, self.current.observed - age)
        if self.current.is_newest(key, timestamp):
            return
        expected = self.current.get(key, timestamp)
        was_put = self.current.put(key, None, timestamp)
        assert self.bench.face.delete(key, timestamp) == (expected if was_put else None)

    @rule(key=KEYS, age=AGES)
    def get_as_of(self, key: str, age: int) -> None:
        as_of = self.current.observed - age
        if age <= HISTORY:
            assert self.bench.face.get(key, as_of) == self.current.get(key, as_of)

    @rule()
    def commit(self) -> None:
        self.bench.commit()
        self.committed = self.current.copy()

    @rule()
    def abort(self) -> None:
        self.bench.abort()
        self.current = self.committed.copy()
        self.current.dropped = self.bench.dropped

    @invariant()
    def the_newest_is_known(self) -> None:
        if hasattr(self, "bench"):
            for key in ("a", "b", ""):
                assert self.bench.face.get(key) == self.current.get(key, 2**62)
            assert self.bench.dropped == self.current.dropped

    @rule(batch=st.integers(1, 5))
    def a_restored_store_is_the_committed_one(self, batch: int) -> None:
        self.commit()
        restored = self.bench.restored(batch).face
        for key in ("a", "b", ""):
            for age in range(0, HISTORY + 1, 9):
                as_of = self.current.observed - age
                assert restored.get(key, as_of) == self.current.get(key, as_of)

    def _put(self, key: str, value: str | None, timestamp: int) -> None:
        if value is None and self.current.is_newest(key, timestamp):
            return
        later = [time for time in self.current.versions.get(key, {}) if time > timestamp]
        was_put = self.current.put(key, value, timestamp)
        valid_to = self.bench.face.put(key, value, timestamp)
        if not was_put:
            assert valid_to == NOT_PUT
        elif self.current.get(key, 2**62) == VersionedRecord(value or "", timestamp):
            assert valid_to == NEWEST
        elif later and valid_to != NEWEST:  # a deletion that is let go of is not known any more
            assert valid_to >= min(later)


@pytest.mark.parametrize("engine", engine_names())
def test_it_behaves_like_a_list_of_all_puts(engine: str) -> None:
    run_state_machine_as_test(
        type("Machine", (VersionMachine,), {"case": ENGINES[engine]}),
        settings=settings(
            max_examples=8 if ENGINES[engine].lasts else 100,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
