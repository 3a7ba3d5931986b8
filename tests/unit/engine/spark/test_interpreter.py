"""An interpreter that workers cannot use is refused before they start, with what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from penstock._engine.spark.interpreter import check_interpreter
from penstock.errors import ConfigError

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


def script(folder: Path, text: str) -> str:
    """Write a program that stands for an interpreter."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_our_own_interpreter_is_right() -> None:
    check_interpreter(sys.executable)


def test_an_archive_that_is_unpacked_on_executors_alone_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", "./env/bin/python")
    with pytest.raises(ConfigError) as refused:
        check_interpreter("./env/bin/python")
    assert str(refused.value) == (
        f"'PYSPARK_PYTHON' is './env/bin/python', which is not there in {tmp_path}; Spark runs it "
        "in the driver, too: unpack the archive here as executors do (mkdir -p env && tar -xzf "
        "ARCHIVE -C env), or submit with --deploy-mode cluster where the master takes it"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo 2.7 True", f"Python 2.7, and the driver is Python {OWN}; both must be"),
        (
            f"echo {OWN} False",
            f"which has no package 'penstock'; set PYSPARK_PYTHON={sys.executable} before the "
            "session is made, or to",
        ),
        ("echo no such library >&2; exit 1", "which does not run here: no such library"),
    ],
)
def test_one_that_workers_cannot_use_is_refused(
    tmp_path: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    with pytest.raises(ConfigError, match=r"^'PYSPARK_PYTHON' is '/") as refused:
        check_interpreter(script(tmp_path, text))
    assert said in str(refused.value)


def test_the_interpreter_that_spark_takes_by_default_is_said_to_be_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    named = script(tmp_path, f"echo {OWN} False")
    expected = f"'PYSPARK_PYTHON' is not set, so Spark's workers run {named!r}, which has no"
    with pytest.raises(ConfigError) as refused:
        check_interpreter(named)
    assert str(refused.value).startswith(expected)


def test_one_that_is_nowhere_on_the_path_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"is not there on the PATH; set it to an interpreter of"):
        check_interpreter("python-of-another-machine")


def test_another_one_with_the_package_is_right(tmp_path: Path) -> None:
    check_interpreter(script(tmp_path, f"echo {OWN} True"))
