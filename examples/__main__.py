"""Run the examples.

python -m examples                        what there is
python -m examples fraud_detection        one, live, until Ctrl-C (--seconds N ends it earlier)
python -m examples --check                all, each on a bounded input, every result compared
python -m examples --check late_data      one of them
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from examples.shows import SHOWS
from examples.stage.checked import Outcome, check
from examples.stage.live import perform
from penstock import StreamsError
from penstock.broker import LocalBroker

COUNT = 2_000


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser("python -m examples", description="Run the examples.")
    parser.add_argument("name", nargs="*", metavar="NAME", help="which")
    parser.add_argument("--check", action="store_true", help="on a bounded input, compared")
    parser.add_argument("--seconds", type=float, metavar="N", help="end after N seconds of work")
    parser.add_argument("--count", type=int, default=COUNT, metavar="N", help="how much to check")
    wishes = parser.parse_args(arguments)
    if unknown := [name for name in wishes.name if name not in SHOWS]:
        parser.error(f"there is no example {unknown[0]!r}; there are {', '.join(SHOWS)}")
    if wishes.check:
        return check_all(wishes.name or list(SHOWS), wishes.count)
    if len(wishes.name) == 1:
        chosen = SHOWS[wishes.name[0]]()
        print(f"{chosen.name}: {chosen.about}; Ctrl-C ends it", file=sys.stderr, flush=True)
        perform(chosen, wishes.seconds)
        return 0
    for show in SHOWS.values():
        print(f"  python -m examples {show.name:18} {show.about}")
    return 0


def check_all(names: list[str], count: int) -> int:
    """Check shows one after the other, on a new broker; give how many were wrong."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder, "broker")) as broker:
        for name in names:
            print(f"{name} ...", flush=True)
            state = str(Path(folder, "state"))
            try:
                outcomes[name] = check(SHOWS[name](), broker.bootstrap_servers, state, count)
            except StreamsError as error:
                outcomes[name] = Outcome(0, 0, {}, [f"it failed: {error}"], 0.0)
            for difference in outcomes[name].differences:
                print(f"  {difference}", flush=True)
    print("\n".join(summary(outcomes)))
    return sum(not outcome.right for outcome in outcomes.values())


def summary(outcomes: dict[str, Outcome]) -> list[str]:
    """Say how it was, a line for each."""
    lines = []
    for name, outcome in outcomes.items():
        what = ", ".join(f"{count:,} {part}" for part, count in outcome.checked.items())
        verdict = "right" if outcome.right else "WRONG"
        numbers = f"{outcome.records_in:6,} in {outcome.records_out:6,} out"
        lines.append(f"{verdict}  {name:18} {numbers}  {outcome.seconds:5.1f} s  {what}")
    right = sum(outcome.right for outcome in outcomes.values())
    return ["", *lines, "", f"{right} of {len(outcomes)} examples are right"]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except StreamsError as error:
        sys.exit(f"penstock: {error}")
