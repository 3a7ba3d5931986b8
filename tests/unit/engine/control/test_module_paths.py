"""A worker finds the modules that the driver finds, in the driver's order."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest

from penstock._engine.control.module_paths import WithPaths, take_over

LIBRARY = os.path.dirname(os.__file__)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Folders that exist, in one of which the process was started."""
    names = ("script", "shared", "brought", "packages", "started", "driver_packages")
    for name in names:
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path / "started")
    return {name: str(tmp_path / name) for name in names}


def test_the_users_folders_come_before_packages(folders: dict[str, str]) -> None:
    started, brought, packages = folders["started"], folders["brought"], folders["packages"]
    sys.path[:] = [started, brought, LIBRARY, packages]
    own = (folders["script"], "/not/there", folders["shared"])
    take_over(own, (LIBRARY, folders["driver_packages"], "/not/there/either"))
    expected = [brought, folders["script"], folders["shared"], started, LIBRARY, packages]
    assert sys.path == [*expected, folders["driver_packages"]]
    take_over(own, (LIBRARY, folders["driver_packages"]))
    assert sys.path == [*expected, folders["driver_packages"]]


def test_the_drivers_order_of_folders_that_both_have_wins(folders: dict[str, str]) -> None:
    script, shared, packages = folders["script"], folders["shared"], folders["packages"]
    sys.path[:] = ["", shared, LIBRARY, packages, script]
    take_over((script, folders["started"], shared), (LIBRARY, packages))
    assert sys.path == [script, "", shared, LIBRARY, packages]


def test_folders_of_a_program_before_come_after_those_of_the_next(folders: dict[str, str]) -> None:
    script, shared, brought = folders["script"], folders["shared"], folders["brought"]
    sys.path[:] = [brought, LIBRARY]
    take_over((script,), ())
    take_over((shared,), ())
    assert sys.path == [brought, shared, script, LIBRARY]


def test_a_path_that_is_there_twice_keeps_its_first_place(folders: dict[str, str]) -> None:
    sys.path[:] = ["", folders["started"], LIBRARY, LIBRARY]
    take_over((folders["script"],), ())
    assert sys.path == [folders["script"], "", LIBRARY]


def test_without_a_standard_library_nothing_is_taken_for_the_users(
    folders: dict[str, str],
) -> None:
    sys.path[:] = [folders["packages"]]
    packed = pickle.dumps(WithPaths(1))
    sys.path[:] = [LIBRARY, folders["shared"]]
    assert pickle.loads(packed) == 1
    assert sys.path == [LIBRARY, folders["shared"], folders["packages"]]


def test_a_value_is_opened_where_its_modules_are_found(folders: dict[str, str]) -> None:
    name = "shadowed_by_a_package"
    Path(folders["script"], f"{name}.py").write_text("def rate(): return 'mine'")
    Path(folders["packages"], f"{name}.py").write_text("def rate(): return 'a package'")
    sys.path[:] = [folders["script"], LIBRARY, folders["packages"]]
    packed = pickle.dumps(WithPaths(__import__(name).rate))
    del sys.modules[name]
    sys.path[:] = [LIBRARY, folders["packages"]]
    try:
        assert pickle.loads(packed)() == "mine"
    finally:
        del sys.modules[name]


def test_the_path_of_the_process_that_pickled_stays_as_it_is(folders: dict[str, str]) -> None:
    sys.path[:] = ["", folders["shared"], LIBRARY, "__editable__.finder", folders["packages"]]
    before = list(sys.path)
    assert pickle.loads(pickle.dumps(WithPaths("value"))) == "value"
    assert sys.path == before
