"""`penstock capacity`: how much state, how many partitions, how long a restore takes."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.capacity import FORMULAS, Formula, figures_of
from penstock.cli.arguments.options import add_command, add_json
from penstock.cli.arguments.times import duration
from penstock.cli.printing import indented, table, to_json
from penstock.errors import StreamsError

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Estimate the size and speed of an application. Each formula shows its figures with units and says
how each came about. Without numbers a formula shows a worked example; an option that is not given
has its default, or the example's number.
"""
_EXAMPLES = """\
  penstock capacity                                        the list of formulas
  penstock capacity windows                                a worked example
  penstock capacity windows --keys 2e6 --key-bytes 16 --value-bytes 80 --window-size 5min
  penstock capacity restore --keys 1e8 --partitions 24 --workers 6
  penstock capacity join --json --keys 1000
"""
_SIZE = re.compile(r"([\d.,_e+]+) ?([kKMGT]?i?B?)")
_DEFAULTS = {
    "advance_ms": "the window size, as for tumbling windows",
    "retention_ms": "window size + grace",
}
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def register(commands: Commands) -> None:
    """Add the command to the command line, and each formula to it."""
    parser = add_command(
        commands,
        "capacity",
        "estimate state, partitions, restore time",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_json(parser)
    parser.set_defaults(run=show_all)
    formulas = parser.add_subparsers(title="formulas", metavar="FORMULA")
    for formula in FORMULAS.values():
        _register(formulas, formula)


def _register(formulas: Commands, formula: Formula) -> None:
    text = (inspect.getdoc(formula.function) or "").partition(">>>")[0].strip()
    parameters = inspect.signature(formula.function).parameters
    for name in parameters:
        text = text.replace(f"`{name}`", option_of(name))
    parser = formulas.add_parser(
        formula.name,
        help=formula.tells,
        description=text,
        epilog=f"example:\n  {as_command(formula, formula.example)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, parameter in parameters.items():
        parser.add_argument(
            option_of(name),
            dest=name,
            type=duration_ms if name.endswith("_ms") else number,
            metavar="TIME" if name.endswith("_ms") else "BYTES" if _is_size(name) else "N",
            help=_help(formula, name, parameter),
        )
    add_json(parser)
    parser.set_defaults(run=lambda arguments: show(arguments, formula))


def show_all(arguments: argparse.Namespace) -> int:
    """List the formulas."""
    if arguments.json:
        print(to_json({name: formula.tells for name, formula in FORMULAS.items()}))
        return 0
    rows = [(f"penstock capacity {name}", formula.tells) for name, formula in FORMULAS.items()]
    print("\n".join(table(("command", "tells"), rows)))
    return 0


def show(arguments: argparse.Namespace, formula: Formula) -> int:
    """Calculate a formula and print its figures."""
    parameters = inspect.signature(formula.function).parameters
    given = {name: value for name in parameters if (value := getattr(arguments, name)) is not None}
    numbers = complete(formula, given)
    try:
        estimate = formula.calculate(**numbers)
    except ValueError as error:
        raise StreamsError(str(error)) from error
    if arguments.json:
        print(to_json({"formula": formula.name, "given": numbers, "estimate": asdict(estimate)}))
    else:
        print("\n".join(as_text(formula, numbers, estimate)))
    return 0


def complete(formula: Formula, given: Mapping[str, float]) -> dict[str, Any]:
    """Return the given numbers, and the example's for those without a default."""
    parameters = inspect.signature(formula.function).parameters
    if not given:
        return dict(formula.example)
    missing = {
        name: formula.example[name]
        for name, parameter in parameters.items()
        if name not in given and parameter.default is inspect.Parameter.empty
    }
    numbers = {**missing, **given}
    return {name: _typed(parameters[name], value) for name, value in numbers.items()}


def as_text(formula: Formula, given: Mapping[str, float], estimate: object) -> list[str]:
    """Return an estimate as lines: the command, the figures, how each came about."""
    rows = [
        (
            figure.name.removesuffix("_ms").replace("_", " "),
            shown(figure.value, figure.unit),
            figure.how,
        )
        for figure in figures_of(estimate)
    ]
    return [
        f"{formula.tells}",
        f"  {as_command(formula, given)}",
        "",
        *indented(table(("figure", "estimate", "how"), rows)),
    ]


def as_command(formula: Formula, given: Mapping[str, float]) -> str:
    """Return the command line that calculates this."""
    options = [f"{option_of(name)} {_typed_by_hand(name, value)}" for name, value in given.items()]
    return " ".join(["penstock capacity", formula.name, *options])


def option_of(name: str) -> str:
    """Return the option of a parameter; a time says its unit itself: 5min."""
    return f"--{name.removesuffix('_ms').replace('_', '-')}"


def shown(value: float, unit: str) -> str:
    """Return a number with its unit, as people read it.

    >>> shown(37_100_000, "bytes"), shown(83_333.3, "records/s"), shown(0.1667, "of the time")
    ('37.1 MB', '83,333 records/s', '17 % of the time')
    """
    if unit.startswith("bytes"):
        return f"{_size(value)}{unit.removeprefix('bytes')}"
    if unit == "of the time":
        return f"{value:.0%}".replace("%", " % of the time")
    if unit == "ms":
        return _time(value)
    digits = f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.3g}"
    return f"{digits} {unit}"


def number(text: str) -> float:
    """Read a number: 1e6, 1_000_000, 1,000,000, 20MB, 5GiB."""
    match = _SIZE.fullmatch(text.strip())
    try:
        value = float(match[1].replace(",", "")) if match else float(text)
    except ValueError as error:
        msg = f"it must be a number such as 2000000, 2e6 or 20MB; got {text!r}"
        raise argparse.ArgumentTypeError(msg) from error
    unit = match[2] if match else ""
    power = _POWERS[unit[:1].lower() if unit[:1].lower() in _POWERS else ""]
    value *= (1024 if "i" in unit else 1000) ** power
    return int(value) if value == int(value) else value


def duration_ms(text: str) -> float:
    """Read a time, 5min or 30s; a bare number is milliseconds."""
    if re.fullmatch(r"[\d_]+", text):
        return int(text)
    milliseconds = duration(text).total_seconds() * 1000
    return int(milliseconds) if milliseconds == int(milliseconds) else milliseconds


def _help(formula: Formula, name: str, parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return f"for example {_typed_by_hand(name, formula.example[name])}"
    if parameter.default is None:
        return f"default: {_DEFAULTS[name]}"
    return f"default {_typed_by_hand(name, parameter.default)}"


def _typed(parameter: inspect.Parameter, value: float) -> Any:
    return int(value) if parameter.annotation == "int" else value


def _typed_by_hand(name: str, value: float) -> str:
    if name.endswith("_ms"):
        return _time(value).replace(" ", "")
    return f"{value:.10g}"


def _spoken(name: str) -> str:
    return name.removesuffix("_ms").replace("_", " ")


def _is_size(name: str) -> bool:
    return "bytes" in name


def _time(milliseconds: float) -> str:
    for unit, length in (("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds >= length and milliseconds * 100 % length == 0:
            return f"{milliseconds / length:g} {unit}"
    return f"{milliseconds:,.4g} ms"


def _size(value: float) -> str:
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= length:
            return f"{value / length:,.3g} {unit}"
    return f"{value:,.0f} bytes"
