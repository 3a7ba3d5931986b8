"""Which annotations of a main script's classes are sent as types."""

from __future__ import annotations

import sys
from datetime import date
from types import ModuleType
from typing import Any

import pytest

from penstock._engine.spark.shipping import annotations as annotations_module
from penstock._engine.spark.shipping.annotations import spelled_annotations

SCRIPT = """
from __future__ import annotations
import threading
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

class Dashboard:
    lock = threading.Lock()

class Enrich:
    dashboard: Dashboard | None = None

@dataclass
class Item:
    count: int

@dataclass
class Order:
    items: dict[str, Item]
    shown_on: Dashboard | None = None
    date: date | None = None

class Day(NamedTuple):
    date: date
"""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = ModuleType("a_script")
    monkeypatch.setitem(sys.modules, "a_script", module)
    exec(SCRIPT, vars(module))
    ours = lambda value, name: value.__module__ != "a_script"  # noqa: E731
    monkeypatch.setattr(annotations_module, "is_importable", ours)
    return module


def test_documents_are_sent_with_the_types_that_their_text_means(script: Any) -> None:
    spelled = spelled_annotations(script.Order)
    assert spelled["items"] == dict[str, script.Item]
    assert spelled["date"] == date | None, "the module's name, not the field of that name"
    assert spelled_annotations(script.Day) == {"date": date}


def test_classes_that_are_only_named_are_not_sent_along(script: Any) -> None:
    """They may hold what cannot be pickled, such as a lock."""
    assert spelled_annotations(script.Order)["shown_on"] == "Dashboard | None"
    assert spelled_annotations(script.Enrich) == {"dashboard": "Dashboard | None"}
