"""The list of formulas."""

from __future__ import annotations

import inspect

import pytest

from penstock.capacity import FORMULAS


@pytest.mark.parametrize("name", FORMULAS)
def test_the_example_has_all_that_must_be_given(name: str) -> None:
    formula = FORMULAS[name]
    parameters = inspect.signature(formula.function).parameters
    needed = {key for key, one in parameters.items() if one.default is inspect.Parameter.empty}
    assert needed <= set(formula.example) <= set(parameters)
    assert ">>>" in (formula.function.__doc__ or "")
