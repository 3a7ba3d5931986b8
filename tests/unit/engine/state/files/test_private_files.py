"""What the engine writes is not for other users of the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker.distribution import write_properties
from penstock._engine.state.files.directory import StateDirectory, claim_member_id
from penstock._engine.state.files.private_files import make_private, open_private
from penstock.errors import StateError


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """Return the permissions of a file."""
    return path.stat().st_mode & 0o777


def test_a_directory_and_its_missing_parents_are_closed_to_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path / "a" / "b")
    make_private(tmp_path / "a" / "b")
    assert [mode(tmp_path), mode(tmp_path / "a"), mode(tmp_path / "a" / "b")] == [
        0o755,
        0o750,
        0o750,
    ]


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(FileExistsError):
        make_private(tmp_path / "a")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_where_no_directory_can_be_made_that_is_said() -> None:
    with pytest.raises(FileNotFoundError):
        make_private(Path("/proc/nope/a/b"))
    with pytest.raises(StateError, match=r"/proc/nope/.*; check 'state.dir', its free space"):
        StateDirectory("/proc/nope", "app").lock_task("0_1")


@pytest.mark.parametrize("there", [True, False])
def test_a_file_is_its_owners_alone_also_if_it_was_there_before(
    tmp_path: Path, *, there: bool
) -> None:
    path = tmp_path / "spark.log"
    if there:
        path.write_text("old")
        path.chmod(0o644)
    os.close(open_private(path, os.O_TRUNC))
    assert (mode(path), path.read_text()) == (0o600, "")


def test_the_state_of_an_application_is_closed_to_others(tmp_path: Path) -> None:
    StateDirectory(tmp_path / "state", "app").lock_task("0_1").release()
    claim_member_id(tmp_path / "state", "app", lambda: "member")[1]()
    made = [path for path in (tmp_path / "state").rglob("*") if path.is_dir()]
    assert {mode(path) for path in [tmp_path / "state", *made]} == {0o750}


def test_the_settings_of_a_broker_are_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("old")
    write_properties(path, {"password": "secret"})
    assert (mode(path), path.read_text()) == (0o600, "password=secret\n")
