"""Any engine, with uncommitted changes over it, behaves like two dicts: committed and current."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from penstock._engine.state.overlay import Overlay, Reserve
from tests.stores.engines import ENGINES, EngineCase, engine_names

# Few different keys, so that they meet; the bytes where a wrong order would show.
KEYS = st.binary(max_size=2).map(lambda key: bytes(b"\x00\x01a\x7f\x80\xff"[b % 6] for b in key))
BOUNDS = st.none() | KEYS
VALUES = st.binary(max_size=3)

Entries = dict[bytes, bytes]


class StoreMachine(RuleBasedStateMachine):
    """Writes to an overlay and to the model, commits or aborts both, and compares what is read."""

    case: EngineCase

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / "store"
        self.engine = self.case.open(self.path)
        self.reserve = Reserve(600)
        self.overlay = Overlay(self.engine, self.reserve)
        self.committed: Entries = {}
        self.engine_is_behind = False
        self.current: Entries = {}
        self.offset: int | None = None

    def teardown(self) -> None:
        self.engine.close()
        self.folder.cleanup()

    @rule(key=KEYS, value=VALUES)
    def put(self, key: bytes, value: bytes) -> None:
        self.overlay.put(key, value)
        self.current[key] = value

    @rule(key=KEYS)
    def delete(self, key: bytes) -> None:
        self.overlay.delete(key)
        self.current.pop(key, None)

    @rule(key=KEYS)
    def get(self, key: bytes) -> None:
        assert self.overlay.get(key) == self.current.get(key)
        if not self.engine_is_behind:
            assert self.engine.get(key) == self.committed.get(key)

    @rule(start=KEYS, end=KEYS)
    def collect(self, start: bytes, end: bytes) -> None:
        assert self.overlay.collect(start, end) == expected_entries(
            self.current, start, end, reverse=False
        )
        assert self.engine.collect(start, end) == expected_entries(
            self.committed, start, end, reverse=False
        )

    @rule(ranges=st.lists(st.tuples(KEYS, KEYS).filter(lambda r: r[0] < r[1]), max_size=2))
    def drop(self, ranges: list[tuple[bytes, bytes]]) -> None:
        """Ranges are dropped with a commit, what is written with it included."""
        self.overlay.apply(None, ranges)
        self.engine_is_behind = not ranges
        self.committed = {
            key: value
            for key, value in self.current.items()
            if not any(start <= key < end for start, end in ranges)
        }
        self.current = dict(self.committed)

    @rule(start=BOUNDS, end=BOUNDS, reverse=st.booleans())
    def scan(self, start: bytes | None, end: bytes | None, reverse: bool) -> None:
        assert list(self.overlay.scan(start, end, reverse=reverse)) == expected_entries(
            self.current, start, end, reverse=reverse
        )
        self.engine_is_behind = False
        assert list(self.engine.scan(start, end, reverse=reverse)) == expected_entries(
            self.committed, start, end, reverse=reverse
        )

    @rule(
        start=BOUNDS,
        end=BOUNDS,
        reverse=st.booleans(),
        changes=st.dictionaries(KEYS, st.none() | VALUES),
        commits=st.booleans(),
    )
    def change_during_a_scan(
        self,
        start: bytes | None,
        end: bytes | None,
        reverse: bool,
        changes: dict[bytes, bytes | None],
        commits: bool,
    ) -> None:
        expected = expected_entries(self.current, start, end, reverse=reverse)
        scan = self.overlay.scan(start, end, reverse=reverse)
        seen = [entry for entry in [next(scan, None)] if entry is not None]
        for key, value in changes.items():
            if value is None:
                self.delete(key)
            else:
                self.put(key, value)
        if commits:
            self.commit()
        assert [*seen, *scan] == expected

    @rule()
    def commit(self) -> None:
        self.offset = 0 if self.offset is None else self.offset + 1
        self.overlay.apply(self.offset)
        self.committed = dict(self.current)
        self.engine_is_behind = False

    @rule()
    def commit_between_two_offsets(self) -> None:
        self.overlay.apply(None)
        self.committed = dict(self.current)
        self.engine_is_behind = True

    @rule()
    def abort(self) -> None:
        self.overlay.discard()
        self.current = dict(self.committed)

    @precondition(lambda self: self.case.lasts)
    @rule()
    def close_and_open_again(self) -> None:
        self.overlay.write_back()
        self.engine_is_behind = False
        self.engine.close()
        self.engine = self.case.open(self.path)
        self.overlay = Overlay(self.engine, self.reserve)
        self.current = dict(self.committed)

    @invariant()
    def offset_is_that_of_the_last_commit(self) -> None:
        assert self.engine.changelog_offset() == self.offset

    @invariant()
    def size_is_that_of_the_changes(self) -> None:
        if self.current != self.committed:
            assert self.overlay.size_bytes > 0 or b"" in {*self.current, *self.committed}


def expected_entries(
    model: Entries, start: bytes | None, end: bytes | None, *, reverse: bool
) -> list[tuple[bytes, bytes]]:
    return [
        (key, model[key])
        for key in sorted(model, reverse=reverse)
        if (start is None or key >= start) and (end is None or key < end)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", engine_names())
def test_an_engine_under_an_overlay_behaves_like_a_dict(name: str) -> None:
    case = ENGINES[name]
    machine = type("Machine", (StoreMachine,), {"case": case})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25 if case.lasts else 150,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
