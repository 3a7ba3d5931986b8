"""Runs random programs with Java and Python and compares: `make fuzz`.

`python -m conformance.fuzz.run --count 2000` runs the programs of the numbers 0 to 1999, with
`--first 5000` those from 5000 on. A difference is made small and printed as a description that
`--replay file` runs again. With `--setting dsl.store.format=HEADERS` all programs have that
setting.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.fuzz import generator, observe, shrink, tally
from conformance.fuzz.description import Description
from conformance.fuzz.oracle import Oracle
from conformance.harness import Observation


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line says; return 0 if Python and Java never differed."""
    options = _parse(arguments)
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    with Oracle() as oracle:
        if options.replay is not None:
            return _replay(oracle, Description.from_json(options.replay.read_text("utf-8")))
        return _run(oracle, options)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="conformance.fuzz.run", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first number")
    parser.add_argument("--count", type=int, default=2000, help="how many numbers")
    parser.add_argument("--only", nargs="*", help="only these verbs and features")
    parser.add_argument("--without", nargs="*", default=[], help="all but these")
    parser.add_argument("--replay", type=Path, help="run the description of this file")
    parser.add_argument(
        "--setting", nargs="*", default=[], metavar="KEY=VALUE", help="a setting of all programs"
    )
    parser.add_argument("--differences", type=int, default=5, help="stop after so many")
    parser.add_argument("--keep", type=Path, help="write the small descriptions into this folder")
    return parser.parse_args(arguments)


def _run(oracle: Oracle, options: argparse.Namespace) -> int:
    known = (*generator.VERBS, *generator.FEATURES)
    only = [name for name in options.only or known if name not in options.without]
    seeds = range(options.first, options.first + options.count)
    descriptions = {seed: generator.generate(seed, only) for seed in seeds}
    for description in descriptions.values():
        description.config.update(setting.split("=", 1) for setting in options.setting)
    counts, failed = tally.Tally(), []
    answers = oracle.observe_all(descriptions.values())
    for (seed, description), expected in zip(descriptions.items(), answers, strict=True):
        counts.add(description, expected)
        if observe.differing(description, expected):
            failed.append(seed)
            print(f"DIFFERENCE in program {seed}", flush=True)
            if len(failed) >= options.differences:
                break
    for _ in answers:  # Java has begun them
        pass
    for seed in failed:
        _explain(oracle, seed, descriptions[seed], options.keep)
    print(*counts.lines(), sep="\n")
    print(f"{counts.programs - len(failed)} programs agree, {len(failed)} differ")
    return 1 if failed else 0


def _explain(oracle: Oracle, seed: int, description: Description, keep: Path | None) -> None:
    expected = oracle.observe(description)
    seen = observe.observe(description, expected.lines)

    def shows(smaller: Description) -> bool:
        java = oracle.observe(smaller)
        python = observe.observe(smaller, java.lines)
        # A step left out may make nonsense of the others: that is another difference.
        same_kind = _ending(java) == _ending(expected) and _ending(python) == _ending(seen)
        return same_kind and bool(observe.differing(smaller, java))

    smallest = shrink.shrink(description, shows)
    print(f"\nprogram {seed} differs; made small:\n{smallest.to_text()}", end="")
    print(*observe.differing(smallest, oracle.observe(smallest)), sep="\n", flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{seed}.json").write_text(smallest.to_text(), "utf-8")


def _ending(seen: Observation) -> set[str]:
    """Tell how a run ended: well, or with which kind of error."""
    return {kind for line in seen.lines for kind in line if kind.endswith("error")}


def _replay(oracle: Oracle, description: Description) -> int:
    lines = observe.differing(description, oracle.observe(description))
    print(*(lines or ["no difference"]), sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
