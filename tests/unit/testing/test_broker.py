"""The pytest plugin stays out of the way until it is asked for. (Its fixtures: tests/broker.)"""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_importing_penstock_testing_does_not_import_pytest_or_a_client() -> None:
    code = "import sys, penstock.testing; print({'pytest', 'confluent_kafka'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
