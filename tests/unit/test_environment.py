"""Set-up shows progress, keeps pip's noise in a log, and fails with one sentence."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import environment

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def environment_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("environment") / "venv"


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"PIP_INDEX_URL": "http://127.0.0.1:9/nothing"}, {"PIP_NO_INDEX": "1"}],
    ids=["nobody answers", "no index"],
)
def test_set_up_without_a_network_ends_with_one_sentence(
    environment_folder: Path, settings: dict[str, str]
) -> None:
    folder = environment_folder
    done = subprocess.run(
        ["make", "--no-print-directory", "setup", f"VENV={folder}", f"PYTHON={sys.executable}"],
        cwd=ROOT,
        # The make that runs these tests must not hand its own settings down.
        env={**os.environ, **settings, "MAKEFLAGS": "", "PIP_RETRIES": "0", "PIP_FIND_LINKS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if line and not line.startswith("make")]
    assert said == [
        "penstock: the Python packages cannot be downloaded because the package index does not "
        "answer; check the network, the proxy and pip's settings, then run it again "
        f"(details: {folder / 'setup.log'})"
    ]
    assert "ERROR" not in done.stdout
    assert not (folder / ".ready").exists()


def test_other_failures_of_pip_point_to_its_log(tmp_path: Path) -> None:
    log = tmp_path / "setup.log"
    log.write_text("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\n")
    assert environment.explain(log) == (
        f"the Python packages cannot be installed; pip's reasons are in {log}"
    )


def test_progress_shows_counts_and_large_downloads_and_logs_everything() -> None:
    said = [*["Collecting x==1\n"] * 10, "  Downloading pyspark-4.3.0.tar.gz (455.9 MB)\n"]
    said += ["  Downloading six-1.16.0.whl (11.5 kB)\n", "Installing collected packages: x\n"]
    log = io.StringIO()
    assert list(environment.progress(said, log, total=12)) == [
        "  10 of 12 packages",
        "  downloading pyspark-4.3.0.tar.gz (455 MB)",
        "  installing",
    ]
    assert log.getvalue() == "".join(said)
