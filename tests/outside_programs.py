"""Programs that some tests need and that no Python package brings: a browser, promtool, PostgreSQL.

Where one is missing, its tests are skipped, and the suite ends with a line on how to have it. Where
TESTS_REQUIRE names the program, as in `.ci/run`, they fail instead.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

import pytest

# Not PENSTOCK_...: that would be a setting to programs that read settings from the environment.
REQUIRED = "TESTS_REQUIRE"

MISSING = {
    "chromium": "there is no Chromium: on Debian `apt-get install chromium`, or name a Chromium or "
    "Chrome in PENSTOCK_CHROMIUM",
    "postgresql": "there is no PostgreSQL server: on Debian `apt-get install postgresql`",
    "promtool": "there is no promtool: on Debian `apt-get install prometheus`",
}


def need(name: str, *, found: bool) -> None:
    """Skip the test if a program was not found, or fail it if the run requires the program."""
    if found:
        return
    if name in os.environ.get(REQUIRED, "").split():
        pytest.fail(f"{MISSING[name]} ({REQUIRED} names {name})", pytrace=False)
    pytest.skip(MISSING[name])


def left_out(reasons: Iterable[str]) -> list[str]:
    """Return a line for each reason why tests were skipped, the most frequent first."""
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    return [f"{count:4d} skipped: {reason}" for reason, count in counts.most_common()]
