"""Checks of this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock import StreamsConfig
from penstock._engine.fast import choice
from penstock._engine.kafka.client import bulk
from penstock.cli import main
from penstock.cli.doctor import machine
from penstock.cli.doctor.machine import (
    check_java,
    check_packages,
    check_parts_in_c,
    check_python,
    check_spark,
    check_state_directory,
)


def config(state_dir: Path) -> StreamsConfig:
    return StreamsConfig({"application.id": "app", "state.dir": str(state_dir)})


def test_python() -> None:
    assert check_python((3, 11), "/bin/python").told == "3.11 (/bin/python)"
    old = check_python((3, 9), "/bin/python")
    assert (old.status, old.fix) == ("failed", "install Python 3.11 or later")


def test_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "penstock 0." in check_packages().told
    monkeypatch.setattr(machine, "_PACKAGES", ("penstock", "no-such-package"))
    missing = check_packages()
    assert (missing.status, missing.fix) == ("failed", "pip install no-such-package")


def test_the_parts_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "compiled", choice)
    monkeypatch.setattr(bulk, "_refusal", None)
    assert (check_parts_in_c().status, check_parts_in_c().told) == ("ok", "used")
    monkeypatch.setattr(bulk, "_refusal", "librdkafka was built without plugins")
    partly = check_parts_in_c()
    assert (partly.status, partly.told) == (
        "warning",
        "used, but not for the Kafka client: librdkafka was built without plugins",
    )


def test_parts_in_c_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "compiled", None)
    monkeypatch.setattr(choice, "IS_SWITCHED_OFF", False)
    missing = check_parts_in_c()
    assert (missing.status, "C compiler" in (missing.fix or "")) == ("warning", True)
    assert missing.told == "not compiled, all is in Python: it is slower"


def test_parts_in_c_that_are_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "compiled", None)
    monkeypatch.setattr(choice, "IS_SWITCHED_OFF", True)
    off = check_parts_in_c()
    assert (off.status, off.fix) == ("warning", "unset PENSTOCK_NO_C")
    assert off.told == "switched off by PENSTOCK_NO_C: it is slower"


def test_java_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    found = check_java()
    assert (found.status, found.fix) == ("failed", "correct it or unset it")


def test_state_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/somewhere/else")
    assert check_state_directory(config(tmp_path / "not" / "yet")).status == "ok"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    forgetful = check_state_directory(config(tmp_path / "state"))
    assert (forgetful.status, "may be emptied" in forgetful.told) == ("warning", True)


def test_state_directory_that_cannot_be_written_to() -> None:
    found = check_state_directory(config(Path("/proc/penstock")))
    assert (found.status, "cannot be used" in found.told) == ("failed", True)


def test_spark_may_be_left_out(tmp_path: Path) -> None:
    assert check_spark(config(tmp_path), quick=True).status == "skipped"


def test_without_a_cluster_this_machine_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    main(["doctor", "--quick", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [finding["name"] for finding in found] == [
        "Python",
        "packages",
        "parts in C",
        "Java",
        "state directory",
        "Spark",
        "broker",
    ]
    assert found[-1]["status"] == "skipped"


def test_a_program_that_is_wrong_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    assert main(["doctor", "nowhere.py", "--quick"]) == 1
    assert " failed  program: there is no program 'nowhere.py' in " in capsys.readouterr().out
