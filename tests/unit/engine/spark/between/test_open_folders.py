"""A folder is that of one run of the process at a time."""

from __future__ import annotations

import pytest

from penstock._engine.spark.between.open_folders import OpenFolder
from penstock.errors import StreamsError

PLACE = "file:/runs/shop"


def test_the_folder_of_a_run_that_goes_on_is_refused() -> None:
    with OpenFolder(PLACE), OpenFolder(f"{PLACE}-2"):
        with pytest.raises(StreamsError, match=r"goes on in this process; close it first: result"):
            OpenFolder(PLACE).__enter__()
        with pytest.raises(StreamsError, match="goes on in this process"):
            OpenFolder(PLACE).__enter__()
    with OpenFolder(PLACE):
        pass


def test_a_run_releases_its_own_folder_alone() -> None:
    with OpenFolder(PLACE) as first:
        first.release()
        with OpenFolder(PLACE):
            first.release()
            with pytest.raises(StreamsError, match="goes on in this process"):
                OpenFolder(PLACE).__enter__()
