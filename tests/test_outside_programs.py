"""A missing program skips its tests here and fails them where it is required."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.outside_programs import MISSING, REQUIRED, left_out, need

ROOT = Path(__file__).parents[1]


def test_what_is_there_is_neither_skipped_nor_failed() -> None:
    need("chromium", found=True)


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_program_skips_its_tests(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="on Debian `apt-get install"):
        need(name, found=False)


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_program_fails_tests_that_require_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(REQUIRED, " ".join(MISSING))
    with pytest.raises(pytest.fail.Exception, match=f"names {name}"):
        need(name, found=False)


def test_ci_requires_every_program() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert f'export {REQUIRED}="{" ".join(MISSING)}"' in script


def test_reasons_are_counted() -> None:
    assert left_out(["Skipped: b", "Skipped: a", "Skipped: a"]) == [
        "   2 skipped: a",
        "   1 skipped: b",
    ]


@pytest.mark.slow
def test_a_run_ends_with_what_was_left_out() -> None:
    test = "tests/unit/engine/metrics/test_catalogue.py"
    options = ["-q", "-p", "no:cacheprovider", "-k", "prometheus_takes", test]
    command = [sys.executable, "-m", "pytest", *options]
    # Without a PATH there is no promtool.
    ended = subprocess.run(
        command, cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"   2 skipped: {MISSING['promtool']}\n" in ended.stdout
