"""The snippets of docs/dataframes.md run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parent.parent.parent / "docs" / "dataframes.md"


def test_the_snippets_of_the_page_run(spark: SparkSession) -> None:
    snippets = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(snippets) == 4
    names = {"spark": spark}
    for snippet in snippets:
        exec(compile(snippet, str(PAGE), "exec"), names)
