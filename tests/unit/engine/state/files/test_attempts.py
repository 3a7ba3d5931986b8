"""What a process that died leaves in a task's directory, and what the next one makes of it."""

from __future__ import annotations

from pathlib import Path

from penstock._engine.state.files.attempts import (
    DEATHS_UNTIL_BLAMED,
    DEATHS_UNTIL_CAREFUL,
    Attempt,
    AttemptFile,
    next_attempt,
)

AT = {("in", 0): 7}
NAMED = {"in:0": 7}
PLACE = ("in", 0, 9)


def test_without_a_death_nothing_is_unusual(tmp_path: Path) -> None:
    first = AttemptFile(tmp_path / ".attempt")
    assert first.begin(AT) == Attempt(NAMED)
    first.mark()
    first.clear()
    assert AttemptFile(tmp_path / ".attempt").begin(AT) == Attempt(NAMED)


def test_after_some_deaths_at_one_place_it_is_careful(tmp_path: Path) -> None:
    careful = []
    for _ in range(DEATHS_UNTIL_CAREFUL + 1):
        file = AttemptFile(tmp_path / ".attempt")
        careful.append(file.begin(AT).careful)
        file.mark()
    assert careful == [False] * DEATHS_UNTIL_CAREFUL + [True]


def test_deaths_at_different_places_are_not_added_up() -> None:
    left = Attempt(NAMED, deaths=1)
    assert next_attempt(left, {"in:0": 8}) == Attempt({"in:0": 8}, deaths=1)
    assert next_attempt(left, NAMED) == Attempt(NAMED, deaths=2, careful=True)


def test_a_record_is_blamed_after_a_second_death_at_it(tmp_path: Path) -> None:
    path = tmp_path / ".attempt"
    AttemptFile(path)._write(Attempt(NAMED, deaths=1))
    culprits = []
    for _ in range(DEATHS_UNTIL_BLAMED + 1):
        file = AttemptFile(path)
        culprits.append(file.begin(AT).culprit)
        file.take_in_hand(PLACE, decoding=False)
    assert culprits == [None] * DEATHS_UNTIL_BLAMED + [PLACE]


def test_a_death_at_another_record_blames_nobody_yet(tmp_path: Path) -> None:
    path = tmp_path / ".attempt"
    AttemptFile(path)._write(
        Attempt(NAMED, deaths=3, careful=True, in_hand=PLACE, in_hand_deaths=0)
    )
    file = AttemptFile(path)
    assert file.begin(AT).in_hand_deaths == 1
    file.take_in_hand(("in", 0, 10), decoding=True)
    after = AttemptFile(path).begin(AT)
    assert (after.in_hand, after.decoding, after.in_hand_deaths) == (("in", 0, 10), True, 1)
    assert after.culprit is None


def test_a_task_without_records_is_not_to_blame(tmp_path: Path) -> None:
    path = tmp_path / ".attempt"
    for _ in range(10):
        attempt = AttemptFile(path).begin(AT)  # and dies before a record has come
    assert attempt == Attempt(NAMED)


def test_a_file_cut_short_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".attempt"
    for left in (b"", b'{"offsets": {', b"[]", b'{"other": 1}'):
        path.write_bytes(left)
        assert AttemptFile(path).begin(AT) == Attempt(NAMED)


def test_where_nothing_can_be_written_the_task_goes_on(tmp_path: Path) -> None:
    file = AttemptFile(tmp_path / "no such folder" / ".attempt")
    assert file.begin(AT) == Attempt(NAMED)
    file.mark()
    file.take_in_hand(PLACE, decoding=False)
    file.put_down()
    file.clear()
