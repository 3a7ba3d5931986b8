"""`penstock doctor` starts Spark and asks a Python worker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PENSTOCK = "import sys; from penstock.cli import main; sys.exit(main())"


def test_spark_is_tried(tmp_path: Path) -> None:
    """In a process of its own: a session of another test would be taken for the user's."""
    done = subprocess.run(
        [sys.executable, "-c", PENSTOCK, "doctor", "--set", f"state.dir={tmp_path}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PENSTOCK_HOME": str(tmp_path)},
        check=False,
    )
    assert "     ok  Spark: Spark 4." in done.stdout, done.stdout + done.stderr
    assert ", a Python worker answered\n" in done.stdout
    assert done.returncode == 0
