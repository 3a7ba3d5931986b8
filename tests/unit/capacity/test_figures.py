"""Results that explain themselves."""

from __future__ import annotations

import pytest

from penstock.capacity import FORMULAS, figures_of
from penstock.capacity.figures import check_not_negative, check_positive


@pytest.mark.parametrize("name", FORMULAS)
def test_every_figure_has_a_unit_and_an_explanation(name: str) -> None:
    formula = FORMULAS[name]
    for figure in figures_of(formula.calculate(**formula.example)):
        assert figure.unit, figure
        assert figure.how, figure


def test_numbers_are_checked() -> None:
    check_positive(a=1)
    check_not_negative(a=0)
    with pytest.raises(ValueError, match="a must be above 0; got 0"):
        check_positive(a=0)
    with pytest.raises(ValueError, match="a must not be negative; got nan"):
        check_not_negative(a=float("nan"))
