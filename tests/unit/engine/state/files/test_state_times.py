"""When stores were last complete, as a later process finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.state.files.state_times import UNREADABLE, StateTimes


def test_a_later_process_finds_the_times_of_each_store(tmp_path: Path) -> None:
    times = StateTimes(tmp_path / ".times")
    assert times.of("counts") is None
    times.note(["counts", "totals"], 1000)
    times.note(["totals"], 2000)
    later = StateTimes(tmp_path / ".times")
    assert [later.of(store) for store in ("counts", "totals", "new")] == [1000, 2000, None]
    assert [file.name for file in tmp_path.iterdir()] == [".times"]


def test_two_that_write_one_after_the_other_keep_what_the_other_wrote(tmp_path: Path) -> None:
    StateTimes(tmp_path / ".times").note(["counts"], 1000)
    StateTimes(tmp_path / ".times").note(["totals"], 2000)
    assert StateTimes(tmp_path / ".times").of("counts") == 1000


@pytest.mark.parametrize("left", ["", '{"counts": 17', "[]", '{"counts": "soon"}', "\x00\x00"])
def test_a_file_that_was_cut_short_makes_all_state_old(tmp_path: Path, left: str) -> None:
    (tmp_path / ".times").write_text(left)
    times = StateTimes(tmp_path / ".times")
    assert times.of("counts") == times.of("totals") == UNREADABLE
    times.note(["counts"], 1000)
    assert StateTimes(tmp_path / ".times").of("counts") == 1000


def test_a_directory_that_cannot_be_written_to_is_no_failure(tmp_path: Path) -> None:
    times = StateTimes(tmp_path / "nowhere" / ".times")
    times.note(["counts"], 1000)
    assert StateTimes(tmp_path / "nowhere" / ".times").of("counts") is None
