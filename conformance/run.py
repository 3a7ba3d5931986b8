"""Compares Python with what Java did, case by case: `make conformance`.

`python -m conformance.run` runs all cases, `python -m conformance.run filter null_key` only these.
It needs no Java.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from conformance import differences, harness


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases named on the command line, or all of them; return 0 if all agree with Java."""
    parser = argparse.ArgumentParser(prog="conformance.run", description="Compare with Java.")
    parser.add_argument("names", nargs="*", metavar="case", help="a folder of conformance/cases/*")
    names = parser.parse_args(arguments).names
    # Programs that fail on purpose log it; a handler that does nothing keeps that off the terminal.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    cases = harness.all_cases(harness.CASES)
    if unknown := [name for name in names if name not in cases]:
        print(f"no such case: {', '.join(unknown)}; the cases are the folders of {harness.CASES}/*")
        return 2
    failed = 0
    for name in names or cases:
        if lines := _differences(cases[name]):
            failed += 1
            print(f"FAIL {name}", *lines, sep="\n", flush=True)
    print(f"{len(names or cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _differences(case: harness.Case) -> list[str]:
    if not case.expected:
        return [f"  it has no expectation; record it: make conformance-record CASES={case.name}"]
    try:
        return differences.describe(case, harness.run(case))
    except Exception as error:
        # One case that cannot be loaded must not hide the others.
        return [f"  cannot be run: {type(error).__name__}: {error}"]


if __name__ == "__main__":
    sys.exit(main())
