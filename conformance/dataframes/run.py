"""Runs the recorded cases and random programs as bounded jobs: `make conformance-dataframes`.

`python -m conformance.dataframes.run` runs all cases that apply on Spark, on 1, 2 and 5 partitions
each, `... run filter` only these; `--programs 300` as many random programs; `--without-spark`
shuffles in plain Python instead, which takes a tenth of the time.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from conformance import harness
from conformance.dataframes import feeding
from conformance.dataframes.comparison import (
    RunJob,
    differences,
    needs_wall_clock,
    planned,
    say_nothing,
)
from conformance.dataframes.on_spark import outcome_on_spark, session
from conformance.dataframes.reference import Outcome, StoredRows
from conformance.dataframes.without_spark import LocalJob
from conformance.fuzz import generator
from conformance.fuzz.interpret import DescribedProgram
from conformance.harness import Case, Program
from penstock import Topology
from penstock.errors import TopologyError
from penstock.settings import StreamsConfig

_TELL_EVERY = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line says; return 0 if everything agrees."""
    options = _parse(arguments)
    # Programs that fail on purpose log it.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    cases = harness.all_cases(harness.CASES)
    if unknown := [name for name in options.names if name not in cases]:
        print(f"no such case: {', '.join(unknown)}; the cases are the folders of {harness.CASES}/*")
        return 2
    told: Counter[str] = Counter()
    names = options.names or ([] if options.only_programs else list(cases))
    seeds = range(options.first, options.first + options.programs)
    with _runner(on_spark=not options.without_spark) as run:
        compare: dict[str, Callable[[], list[str] | str]] = {
            name: partial(case_differences, cases[name], run) for name in names
        }
        compare |= {f"program {seed}": partial(program_differences, seed, run) for seed in seeds}
        for done, (name, differ) in enumerate(compare.items(), 1):
            told[_tell(name, differ)] += 1
            if done % _TELL_EVERY == 0:
                print(f"{done} of {len(compare)}, {told['DIFFERS']} differ", flush=True)
    for outcome, count in told.most_common():
        print(f"{count:5} {outcome}")
    return 1 if told["DIFFERS"] else 0


def case_differences(case: Case, run: RunJob) -> list[str] | str:
    """Return how a case differs, or why it is left out."""
    text = (case.folder / "program.py").read_text(encoding="utf-8")
    if reason := feeding.why_not(case.name, case.steps, case.expected, text):
        return reason

    def load() -> Program:
        # Anew: a program may keep something in its module. Workers import it by the same name.
        return importlib.reload(importlib.import_module(case.module))

    if reason := feeding.why_not_this(case.steps, load().topology(say_nothing)):
        return reason
    return list(differences(load, case.steps, case.expected, run))


def program_differences(seed: int, run: RunJob) -> list[str] | str:
    """Return how a random program differs, or why it is left out."""
    drawn = generator.generate(seed)
    steps = [step for step in drawn.input if "advance_wall_clock" not in step]
    description = replace(drawn, input=steps)

    def load() -> Program:
        return DescribedProgram(description)

    try:
        topology = load().topology(say_nothing)
    except TopologyError:
        return "the program is refused before it runs"
    if feeding.is_fed_its_own(steps, topology):
        return feeding.FED_ITS_OWN
    if needs_wall_clock(load, steps):
        return "it has timers of the wall clock"
    return list(differences(load, steps, None, run))


@contextmanager
def _runner(*, on_spark: bool) -> Iterator[RunJob]:
    if not on_spark:
        yield run_without_spark
        return
    with session(long=True) as spark:
        yield partial(outcome_on_spark, spark)


def run_without_spark(
    topology: Topology, config: StreamsConfig, inputs: feeding.Inputs, partitions: int
) -> tuple[Outcome, StoredRows]:
    """Run a topology with the job's own workers and shuffles in plain Python."""
    return LocalJob(planned(topology, config, inputs, partitions), inputs).outcome()


def _tell(name: str, outcome: Callable[[], list[str] | str]) -> str:
    try:
        found = outcome()
    except Exception as error:
        # One that cannot be run must not hide the others.
        found = [f"  cannot be run: {type(error).__name__}: {error}"[:2000]]
    if isinstance(found, str):
        return f"left out: {found}"
    if found:
        print(f"DIFFERS {name}", *found, sep="\n", flush=True)
    return "DIFFERS" if found else "agrees"


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="conformance.dataframes.run", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="case", help="a folder of conformance/cases/*")
    parser.add_argument("--programs", type=int, default=0, help="how many random programs too")
    parser.add_argument("--first", type=int, default=0, help="the number of the first of them")
    parser.add_argument("--only-programs", action="store_true", help="no recorded cases")
    parser.add_argument("--without-spark", action="store_true", help="shuffle in plain Python")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
