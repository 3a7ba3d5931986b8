"""The examples in the docstrings, run."""

from __future__ import annotations

import doctest
import importlib


def test_examples_print_what_they_say() -> None:
    # Those of the other modules use the names of the reference; tests/docs runs them.
    results = doctest.testmod(importlib.import_module("penstock.serdes.names"))

    assert results.attempted > 0
    assert results.failed == 0


def test_every_kind_has_an_example() -> None:
    serdes = importlib.import_module("penstock.serdes")
    kinds = [name for name in serdes.__all__ if name != "HeaderPairs"]

    assert [name for name in kinds if ">>>" not in getattr(serdes, name).__doc__] == []
