"""Where local state lies: one owner per task, members that come back, nothing deleted in use."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from penstock._engine.state.files.directory import StateDirectory, claim_member_id
from penstock.errors import ConfigError, StateError, StateLockedError


@pytest.fixture
def directory(tmp_path: Path) -> StateDirectory:
    return StateDirectory(tmp_path, "orders")


@pytest.fixture
def new_id() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"id-{next(numbers)}"


def no_pause(seconds: float) -> None:
    """Do not wait."""


def test_a_store_lies_under_its_application_and_task(
    directory: StateDirectory, tmp_path: Path
) -> None:
    with directory.lock_task("0_1") as task:
        assert task.path == tmp_path / "orders" / "0_1"
        assert task.store_path("counts") == tmp_path / "orders" / "0_1" / "rocksdb" / "counts"
        assert task.path.is_dir()


@pytest.mark.parametrize("name", ["", ".", "..", "../other", "a/b", "/etc", "a\0b"])
def test_no_name_leads_out_of_the_directory(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'application\.id' must be usable as the name of"):
        StateDirectory(tmp_path, name)
    with (
        StateDirectory(tmp_path, "orders").lock_task("0_0") as task,
        pytest.raises(ConfigError, match="a store's name must be usable"),
    ):
        task.store_path(name)


def test_a_task_id_looks_like_one(directory: StateDirectory) -> None:
    with pytest.raises(ValueError, match="must look like '0_1'; got 'members'"):
        directory.lock_task("members")


def test_tasks_are_locked_one_by_one(directory: StateDirectory) -> None:
    with directory.lock_task("0_0"), directory.lock_task("0_1"):
        assert directory.task_ids() == ["0_0", "0_1"]


def test_a_held_task_is_refused_with_its_holder(directory: StateDirectory) -> None:
    with directory.lock_task("0_1"), pytest.raises(StateLockedError) as refused:
        directory.lock_task("0_1", wait_seconds=0)
    assert f"is held by process {os.getpid()} on host" in str(refused.value)
    assert "task 0_1 of application 'orders' cannot be started" in str(refused.value)
    assert refused.value.path == directory.path / "0_1"


def test_the_new_owner_waits_for_the_old_one(directory: StateDirectory) -> None:
    old = directory.lock_task("0_1")
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            old.release()

    directory.lock_task("0_1", pause=pause).release()
    assert len(pauses) == 3


def test_the_new_owner_gives_up_after_some_seconds(directory: StateDirectory) -> None:
    pauses: list[float] = []
    with directory.lock_task("0_1"), pytest.raises(StateLockedError):
        directory.lock_task("0_1", wait_seconds=2, pause=pauses.append)
    assert sum(pauses) == pytest.approx(2)


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "orders").write_text("a file")
    with pytest.raises(StateError, match=r"orders/0_1 cannot be used: .*; check 'state\.dir'"):
        StateDirectory(tmp_path, "orders").lock_task("0_1")


def test_stores_are_wiped_while_the_task_stays_locked(directory: StateDirectory) -> None:
    task = directory.lock_task("0_1")
    store = task.store_path("counts")
    store.mkdir(parents=True)
    (store / "data").write_text("x")
    (task.path / "note").write_text("x")
    task.wipe()
    assert [entry.name for entry in task.path.iterdir()] == [".lock"]
    with pytest.raises(StateLockedError):
        directory.lock_task("0_1", wait_seconds=0)
    task.release()


def test_a_link_is_removed_and_not_what_it_leads_to(
    directory: StateDirectory, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "data").write_text("x")
    task = directory.lock_task("0_1")
    (task.path / "link").symlink_to(precious)
    task.remove()
    assert not task.path.exists()
    assert (precious / "data").read_text() == "x"


def test_a_removed_task_can_be_locked_again(directory: StateDirectory) -> None:
    with directory.lock_task("0_1") as task:
        task.store_path("counts").mkdir(parents=True)
        task.remove()
        assert not task.path.exists()
        with directory.lock_task("0_1", wait_seconds=0) as again:
            assert again.path.is_dir()


def test_clean_up_deletes_all_state_of_the_application(
    directory: StateDirectory, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    for task_id in ("0_0", "1_12"):
        with directory.lock_task(task_id) as task:
            task.store_path("counts").mkdir(parents=True)
    _, release = claim_member_id(tmp_path, "orders", new_id)
    release()
    other = StateDirectory(tmp_path, "payments")
    other.lock_task("0_0").release()
    directory.clean_up()
    assert not directory.path.exists()
    assert other.task_ids() == ["0_0"]
    directory.clean_up()


def test_clean_up_deletes_nothing_while_a_task_runs(directory: StateDirectory) -> None:
    for task_id in ("0_0", "0_1", "0_2"):
        with directory.lock_task(task_id) as task:
            task.store_path("counts").mkdir(parents=True)
    with directory.lock_task("0_1"), pytest.raises(StateLockedError, match="0_1 of application"):
        directory.clean_up()
    stores = [directory.path / task / "rocksdb" / "counts" for task in ("0_0", "0_1", "0_2")]
    assert all(store.is_dir() for store in stores)
    directory.lock_task("0_0", wait_seconds=0).release()


def test_clean_up_leaves_what_is_not_ours(
    directory: StateDirectory, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    directory.lock_task("0_0").release()
    (directory.path / "notes.txt").write_text("x")
    member, release = claim_member_id(tmp_path, "orders", new_id)
    directory.clean_up()
    assert sorted(entry.name for entry in directory.path.iterdir()) == ["members", "notes.txt"]
    assert (directory.path / "members" / member).exists()
    release()


def test_members_have_different_ids_and_a_freed_one_is_claimed_again(
    tmp_path: Path, new_id: Callable[[], str]
) -> None:
    first, release_first = claim_member_id(tmp_path, "orders", new_id)
    second, release_second = claim_member_id(tmp_path, "orders", new_id)
    assert (first, second) == ("id-1", "id-2")
    release_first()
    third, release_third = claim_member_id(tmp_path, "orders", new_id)
    assert third == first
    fourth, release_fourth = claim_member_id(tmp_path, "orders", new_id)
    assert fourth == "id-3"
    for release in (release_second, release_third, release_fourth):
        release()


def test_members_of_other_applications_and_directories_are_others(
    tmp_path: Path, new_id: Callable[[], str]
) -> None:
    claims = [
        claim_member_id(tmp_path / "a", "orders", new_id),
        claim_member_id(tmp_path / "a", "payments", new_id),
        claim_member_id(tmp_path / "b", "orders", new_id),
    ]
    assert [member for member, _ in claims] == ["id-1", "id-2", "id-3"]
    for _, release in claims:
        release()


def test_a_new_id_that_is_in_use_is_refused(tmp_path: Path) -> None:
    _, release = claim_member_id(tmp_path, "orders", lambda: "same")
    with pytest.raises(StateLockedError, match="must be unique"):
        claim_member_id(tmp_path, "orders", lambda: "same")
    release()


def test_a_new_member_file_that_another_worker_locks_first_is_left_to_it(
    tmp_path: Path, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both start at once: the file is there before it is locked, and the other sees it."""
    lock, others = fcntl.flock, []

    def lock_after_another(descriptor: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        others.append(claim_member_id(tmp_path, "orders", new_id))
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", lock_after_another)
    member, release = claim_member_id(tmp_path, "orders", new_id)
    [(other, release_other)] = others
    assert (other, member) == ("id-1", "id-2")
    release()
    release_other()


@pytest.mark.slow
def test_workers_that_start_at_once_all_get_an_id_of_their_own(tmp_path: Path) -> None:
    program = (
        "import multiprocessing, sys, uuid\n"
        "from penstock._engine.state.files.directory import claim_member_id\n"
        "forked = multiprocessing.get_context('fork')\n"
        "together, ids = forked.Barrier(8), forked.SimpleQueue()\n"
        "def work():\n"
        "    for round in range(100):\n"
        "        together.wait(20)\n"
        "        ids.put((round, claim_member_id(sys.argv[1], f'app{round}',"
        " lambda: uuid.uuid4().hex)[0]))\n"
        "    together.wait(20)\n"
        "workers = [forked.Process(target=work) for _ in range(8)]\n"
        "for worker in workers: worker.start()\n"
        "claimed = {ids.get() for _ in range(800)}\n"
        "for worker in workers: worker.join()\n"
        "print(len(claimed))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "800"


@pytest.mark.slow
def test_the_replacement_of_a_killed_process_is_the_same_member(
    tmp_path: Path, new_id: Callable[[], str]
) -> None:
    program = (
        "import sys\n"
        "from penstock._engine.state.files.directory import StateDirectory, claim_member_id\n"
        "member, release = claim_member_id(sys.argv[1], 'orders', lambda: 'id-of-the-killed')\n"
        "task = StateDirectory(sys.argv[1], 'orders').lock_task('0_1')\n"
        "print(member, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"id-of-the-killed\n"
        with pytest.raises(StateLockedError, match=f"held by process {other.pid} on"):
            StateDirectory(tmp_path, "orders").lock_task("0_1", wait_seconds=0)
        beside, release_beside = claim_member_id(tmp_path, "orders", new_id)
        other.kill()
        other.wait()
    replacement, release = claim_member_id(tmp_path, "orders", new_id)
    assert (beside, replacement) == ("id-1", "id-of-the-killed")
    StateDirectory(tmp_path, "orders").lock_task("0_1", pause=no_pause).release()
    release()
    release_beside()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act for another user")
def test_a_directory_of_another_user_in_a_place_for_everybody_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "state").mkdir()
    os.chown(shared / "state", 12345, 12345)
    with pytest.raises(StateError, match="belongs to another user \\(uid 12345\\)"):
        claim_member_id(shared / "state", "app", lambda: "m")
    os.chown(shared / "state", 0, 0)
    claim_member_id(shared / "state", "app", lambda: "m")[1]()


def test_a_link_in_the_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("of great value")
    (tmp_path / "state" / "app" / "members").mkdir(parents=True)
    (tmp_path / "state" / "app" / "members" / "m").symlink_to(precious)
    with pytest.raises(StateError):
        claim_member_id(tmp_path / "state", "app", lambda: "m")
    assert precious.read_text() == "of great value"
