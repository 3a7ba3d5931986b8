"""A machine that lacks something gets one sentence and a non-zero exit, never a stack trace."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import preflight

ROOT = Path(__file__).parent.parent.parent


def run_preflight(*names: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "preflight.py"), *names],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def install(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def assert_refused(done: subprocess.CompletedProcess[str], sentence: str) -> None:
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("penstock: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_this_machine_passes(tmp_path: Path) -> None:
    assert run_preflight("python", path=tmp_path).returncode == 0


def test_old_python_is_refused_with_the_way_out() -> None:
    fault = preflight.python_fault((3, 9))
    assert fault is not None
    assert fault.startswith("Python 3.11 or later is needed and ")
    assert "is 3.9; install a newer one, or name one you have: make PYTHON=python3.11" in fault


def test_preflight_keeps_to_the_syntax_of_the_pythons_it_refuses() -> None:
    source = (ROOT / "scripts" / "preflight.py").read_text()
    ast.parse(source, feature_version=(3, 6))
    # What is no syntax and yet newer: postponed annotations, and an argument of subprocess.run.
    assert "from __future__ import annotations" not in source
    assert "capture_output" not in source


def test_python_without_venv_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    fault = preflight.python_fault((3, 11))
    assert fault is not None
    assert "cannot make virtual environments; install its venv module" in fault


def test_missing_java_is_refused(tmp_path: Path) -> None:
    assert_refused(
        run_preflight("java", path=tmp_path),
        "Java 17 or later is needed and there is no 'java' on the PATH; install a JDK",
    )


@pytest.mark.parametrize(
    ("says", "version"), [('openjdk version "11.0.2"', "11"), ('java version "1.8.0_402"', "8")]
)
def test_old_java_is_refused(tmp_path: Path, says: str, version: str) -> None:
    install(tmp_path, "java", f"echo '{says}' >&2")
    assert_refused(
        run_preflight("java", path=tmp_path),
        f"Java 17 or later is needed and {tmp_path / 'java'} is {version}; install a newer JDK",
    )


def test_java_that_does_not_run_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "java", "exit 1")
    assert_refused(run_preflight("java", path=tmp_path), "does not run; install a JDK")


def test_java_17_passes(tmp_path: Path) -> None:
    install(tmp_path, "java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2")
    assert run_preflight("java", path=tmp_path).returncode == 0


def test_java_runtime_without_compiler_is_refused_where_a_jdk_is_needed(tmp_path: Path) -> None:
    install(tmp_path, "java", "echo 'openjdk version \"21\"' >&2")
    assert_refused(run_preflight("jdk", path=tmp_path), "no 'javac' is on the PATH")


def test_missing_python_is_refused_by_make(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "setup", f"VENV={tmp_path}/venv", "PYTHON=python3.99"],
        cwd=ROOT,
        env={**os.environ, "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert done.stderr.splitlines()[0] == (
        "penstock: Python 3.11 or later is needed and there is no 'python3.99' on the PATH; "
        "install it, or name one you have: make PYTHON=python3.11"
    )
