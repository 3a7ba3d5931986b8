"""Which files are a program's own, and which of them have changed."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

import penstock
from penstock.cli.reloading.program_files import (
    ProgramFiles,
    files_of_error,
    own_folders,
    own_modules,
    versions_of,
)


def module(path: Path) -> ModuleType:
    made = ModuleType(path.stem)
    made.__file__ = str(path)
    return made


def test_modules_of_python_and_of_packages_are_not_the_programs(tmp_path: Path) -> None:
    own = tmp_path / "helper.py"
    compiled = module(tmp_path / "fast.so")
    assert own_modules([json, penstock, sys, compiled, module(own)]) == {os.path.realpath(own)}


def test_a_program_below_the_prefix_of_the_interpreter_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    own = tmp_path / "src" / "helper.py"
    assert own_modules([module(own)]) == {os.path.realpath(own)}
    installed = Path(sysconfig.get_paths()["purelib"]) / "some" / "helper.py"
    assert own_modules([module(installed)]) == set()


def test_folders_of_packages(tmp_path: Path) -> None:
    own = ModuleType("parts")
    own.__path__ = [str(tmp_path / "parts")]
    assert own_folders([own, json, penstock, module(tmp_path / "app.py")]) == {
        os.path.realpath(tmp_path / "parts")
    }


def test_an_error_may_be_its_own_cause() -> None:
    error = ValueError()
    error.__cause__ = error
    assert files_of_error(error) == set()
    assert files_of_error(None) == set()


def test_a_module_in_a_package_without_a_file_is_watched_after_a_failure(tmp_path: Path) -> None:
    path, broken = tmp_path / "app.py", tmp_path / "parts" / "broken.py"
    path.write_text("import parts.broken")
    broken.parent.mkdir()
    broken.write_text("(")
    files = ProgramFiles()
    files.add(versions_of([str(path)]))
    files.add_folders([str(broken.parent)])
    files.add_beside()
    assert files.changed() is None
    broken.write_text("()  # mended")
    assert files.changed() == str(broken)


def test_a_file_changes_by_its_time_its_size_or_its_replacement(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    path.write_text("a")
    files = ProgramFiles()
    files.add(versions_of([str(path)]))
    assert files.changed() is None
    path.write_text("ab")
    assert files.changed() == str(path)
    files.renew()
    assert files.changed() is None
    other = tmp_path / "app.py.new"
    other.write_text("ab")
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert files.changed() == str(path)


def test_a_file_that_is_moved_away_changes_when_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "app.py"
    path.write_text("a")
    files = ProgramFiles()
    files.add(versions_of([str(path)]))
    path.unlink()
    assert files.changed() is None
    path.write_text("b!")
    assert files.changed() == str(path)


def test_files_beside_are_watched_after_a_failure_only(tmp_path: Path) -> None:
    path, broken = tmp_path / "app.py", tmp_path / "broken.py"
    path.write_text("import broken, missing")
    broken.write_text("(")
    files = ProgramFiles()
    files.add(versions_of([str(path)]))
    broken.write_text("((")
    assert files.changed() is None
    files.add_beside()
    assert files.changed() is None
    broken.write_text("()  # mended")
    assert files.changed() == str(broken)
    files.add_beside()
    assert files.changed() is None
    (tmp_path / "missing.py").write_text("")
    assert files.changed() == str(tmp_path / "missing.py")
    files.renew()
    assert files.changed() is None


def test_bytecode_of_the_program_s_files_is_forgotten(tmp_path: Path) -> None:
    """It is known by the second and the size of its source: of two changes in one second the first
    would be run.
    """
    watched, beside, foreign = (tmp_path / f"{name}.py" for name in ("app", "helper", "other"))
    bytecode = {}
    for path in (watched, beside, foreign):
        path.write_text("")
        bytecode[path] = Path(py_compile.compile(str(path)) or "")
    foreign.rename(tmp_path / "other.txt")
    files = ProgramFiles()
    files.add(versions_of([str(watched), str(tmp_path / "gone.py")]))
    files.add_beside()
    files.renew()
    assert [path.name for path, made in bytecode.items() if made.exists()] == ["other.py"]


def test_bytecode_that_cannot_be_deleted_does_not_end_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Folders of tests are numbered anew now and then: what is in the common one may be of another.
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "bytecode"))
    path = tmp_path / "app.py"
    path.write_text("")
    files = ProgramFiles()
    files.add(versions_of([str(path)]))
    Path(importlib.util.cache_from_source(str(path))).mkdir(parents=True)
    files.renew()
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    files.renew()
    assert files.changed() is None
