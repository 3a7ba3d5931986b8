"""docs/semantics.md: every rule names the cases that show it, and these cases exist."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

from conformance import harness

pytestmark = pytest.mark.architecture

PAGE = Path(__file__).parent.parent.parent / "docs" / "semantics.md"

_RULE = re.compile(r"^\*\*.+?(?=\n\n\*\*|\n\n## |\Z)", re.M | re.S)
_CASES = re.compile(r"^\*Cases:\* (?P<names>(?:`[\w*]+`[, \n]*)+)$", re.M)


def rules() -> list[str]:
    """Return the paragraphs of the page that begin with a rule's name in bold."""
    return _RULE.findall(PAGE.read_text(encoding="utf-8"))


def cases_of(rule: str) -> list[str]:
    found = _CASES.search(rule)
    return [] if found is None else re.findall(r"`([\w*]+)`", found["names"])


def test_every_rule_has_its_cases() -> None:
    assert len(rules()) >= 40
    assert [rule.partition("\n")[0] for rule in rules() if not cases_of(rule)] == []


def test_every_case_that_is_named_exists() -> None:
    names = list(harness.all_cases(harness.CASES))
    named = [case for rule in rules() for case in cases_of(rule)]
    assert [case for case in named if not fnmatch.filter(names, case)] == []
