"""docs/applications.md: no application is missing; its program is run with those of all pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from examples.shows import SHOWS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "applications.md"


@pytest.mark.parametrize("name", SHOWS)
def test_each_application_is_told_of_with_its_topics(name: str) -> None:
    (row,) = re.findall(rf"^\| \[{name}\]\(\.\./examples/{name}\.py\).*$", PAGE.read_text(), re.M)
    topics = {*SHOWS[name].inputs, *SHOWS[name].outputs}
    assert [topic for topic in sorted(topics) if f"`{topic}`" not in row] == []


@pytest.mark.parametrize(
    "file", sorted((ROOT / "examples").rglob("*.py")), ids=lambda file: file.stem
)
def test_examples_use_public_names_only(file: Path) -> None:
    imported = re.findall(r"^\s*(?:from|import) (penstock[\w.]*)", file.read_text(), re.M)
    assert [name for name in imported if "._" in name] == []
