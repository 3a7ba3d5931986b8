"""Tasks without records, whose operators watch for that."""

from __future__ import annotations

from penstock._engine.runtime.commit import decode_notes
from tests.unit.engine.runtime.test_task import (
    PARTITIONS,
    WINDOW_INTERVAL,
    closing,
    raws,
    task,
    values,
)


def test_an_idle_task_that_closes_windows_commits_where_it_stands() -> None:
    made = task(closing, **WINDOW_INTERVAL)
    made.add_records("in", 0, raws(5))
    made.process(1000)
    made.prepare_commit()
    made.committed()
    made.stay_idle(99)
    assert (values(made), made.uncommitted) == ([], False)
    made.set_lags({("in", 0): 1, ("in", 1): 0})
    made.stay_idle(1)
    assert values(made) == []  # records are known to be on their way
    made.set_lags(dict.fromkeys(PARTITIONS, 0))
    made.stay_idle(1)
    assert (values(made), made.uncommitted) == ([b"1"], True)
    commit = made.prepare_commit()
    assert commit is not None
    assert decode_notes(commit.offsets["in", 0].metadata) == {"counts": 105}
    made.committed()
    made.stay_idle(100)
    assert (values(made), made.uncommitted) == ([], False)


def test_a_task_is_idle_whatever_partitions_of_other_tasks_are_behind() -> None:
    made = task(closing, **WINDOW_INTERVAL)
    made.set_lags({**dict.fromkeys(PARTITIONS, 0), ("in", 7): 1000, ("other", 0): 1})
    made.add_records("in", 0, raws(5))
    made.process(1000)
    made.stay_idle(100)
    assert values(made) == [b"1"]


def test_one_look_at_a_wrong_clock_closes_no_windows() -> None:
    made = task(closing, **WINDOW_INTERVAL)
    made.add_records("in", 0, raws(5))
    made.process(1000)
    made.punctuate_wall_clock(3_600_000)
    assert (values(made), made.uncommitted) == ([], True)
    made.add_records("in", 0, raws(6, first_offset=1))
    made.process(1001)
    made.stay_idle(100)
    assert values(made) == [b"2"]  # none was late


def test_an_idle_task_commits_windows_that_come_out_before_their_store_forgets_them() -> None:
    # The next look is far off, but a record within time could be stored at any moment.
    made = task(closing, **{"__emit.interval.ms.kstreams.windowed.aggregation__": 10**9})
    made.add_records("in", 0, raws(5))
    made.process(1000)
    made.prepare_commit()
    made.committed()
    made.stay_idle(30_000)
    assert (values(made), made.uncommitted) == ([], False)
    made.stay_idle(40_000)
    assert (values(made), made.uncommitted) == ([b"1"], True)
