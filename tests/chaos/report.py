"""`python -m tests.chaos.report [OUTCOMES ...]`: the tables of docs/reliability.md.

They come from `results.json`; files of outcomes (`build/chaos/outcomes-*.json`) are added first. A
run is known by its seed, lane, guarantee, number of brokers and place in the schedule: added twice
it counts once.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.chaos.lanes import ROOT

RESULTS: Final = Path(__file__).parent / "results.json"
PAGE: Final = ROOT / "docs" / "reliability.md"
LANES: Final = {"spark": "on Spark", "workers": "workers alone", "java": "Java"}
GUARANTEES: Final = {"exactly_once_v2": "exactly-once", "at_least_once": "at-least-once"}

Outcome: TypeAlias = Mapping[str, Any]


def table(outcomes: Sequence[Outcome], lane: str, brokers: int) -> str:
    """Return a table: a row for each fault and guarantee."""
    head = (
        "| fault | guarantee | runs | records | lost | doubled | stopped "
        "| recovery, median | worst | silence, worst |"
    )
    rows = [head, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    mine = [one for one in outcomes if one["lane"] == lane and one["brokers"] == brokers]
    kinds = sorted({one["kind"] for one in mine} - {"end"})
    for kind in kinds:
        for guarantee in GUARANTEES:
            some = [one for one in mine if one["kind"] == kind and one["guarantee"] == guarantee]
            if some:
                rows.append(_row(kind, GUARANTEES[guarantee], some))
    return "\n".join(rows)


def compared(outcomes: Sequence[Outcome], brokers: int) -> str:
    """Return Penstock beside Java under exactly-once: a row for each fault that both suffered."""
    lanes = ("workers", "spark", "java")
    titles = "".join(
        f"| {LANES[lane]}: runs, lost, doubled | recovery, median (worst) " for lane in lanes
    )
    rows = [f"| fault {titles}|", f"|---{'|---|--:' * len(lanes)}|"]
    mine = [
        one
        for one in outcomes
        if one["brokers"] == brokers and one["guarantee"] == "exactly_once_v2"
    ]
    for kind in sorted({one["kind"] for one in mine if one["lane"] == "java"} - {"end"}):
        cells = [kind]
        for lane in lanes:
            some = [one for one in mine if one["lane"] == lane and one["kind"] == kind]
            median, worst = _recovery(some)
            twice = _sum(some, "doubled") + _sum(some, "reordered")
            cells += [
                f"{len(some)}, {_sum(some, 'lost')}, {twice}" if some else "-",
                f"{median} ({worst})" if some else "-",
            ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _recovery(some: Sequence[Outcome]) -> tuple[str, str]:
    recoveries = [one["recovery"] for one in some if one["recovery"] is not None]
    if some and all(one["detail"].startswith("stopped after") for one in some):
        return "a clear stop", f"{max(one['seconds'] for one in some):.0f} s"
    return (
        f"{statistics.median(recoveries):.1f} s" if recoveries else "-",
        f"{max(recoveries):.1f} s" if len(recoveries) == len(some) and some else "**never**",
    )


def _row(kind: str, guarantee: str, some: Sequence[Outcome]) -> str:
    silences = [one["silence"] for one in some if one["silence"]]
    cells = [
        kind,
        guarantee,
        len(some),
        f"{_sum(some, 'records'):,}",
        _sum(some, "lost") + _sum(some, "wrong") * (guarantee == "exactly-once"),
        _sum(some, "doubled") + _sum(some, "reordered"),
        _sum(some, "stops"),
        *_recovery(some),
        f"{max(silences):.1f} s" if silences else "-",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def _sum(some: Iterable[Outcome], name: str) -> int:
    return sum(one[name] for one in some)


def totals(outcomes: Sequence[Outcome]) -> str:
    """Return how much was tried, one line for each lane."""
    lines = []
    for lane, title in LANES.items():
        mine = [one for one in outcomes if one["lane"] == lane and one["kind"] != "end"]
        if mine:
            exact = [one for one in mine if one["guarantee"] == "exactly_once_v2"]
            hangs = sum(one["recovery"] is None for one in mine)
            lines.append(
                f"- **{title}**: {len(mine)} faults of {len({one['kind'] for one in mine})} kinds, "
                f"{_sum(mine, 'records'):,} input records and {_sum(mine, 'outputs'):,} checked "
                f"outputs; {_sum(mine, 'lost')} lost, {_sum(exact, 'doubled')} doubled under "
                f"exactly-once, {hangs} times no recovery"
            )
    return "\n".join(lines)


def page_text(page: str, results: Mapping[str, Any]) -> str:
    """Return the page with its tables replaced by those of the results."""
    outcomes = results["outcomes"]
    for brokers in (1, 3):
        for lane in LANES:
            page = _replaced(page, f"{lane}-{brokers}", table(outcomes, lane, brokers))
        page = _replaced(page, f"compared-{brokers}", compared(outcomes, brokers))
    page = _replaced(page, "totals", totals(outcomes))
    return _replaced(page, "soak", soak(results.get("soak", {})))


def soak(measured: Mapping[str, Any]) -> str:
    """Return the table of the soak."""
    if not measured:
        return "Not measured yet."
    rows = [
        "| what | at the begin | at the end | slope an hour | verdict |",
        "|---|--:|--:|--:|---|",
    ]
    for name, one in measured["measures"].items():
        cells = [name, one["begin"], one["end"], one["slope"], one["verdict"]]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    told = measured["told"]
    return "\n".join([told, "", *rows])


def _replaced(page: str, name: str, text: str) -> str:
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if begin not in page:
        return page
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def merged(results: Mapping[str, Any], added: Iterable[Outcome]) -> dict[str, Any]:
    """Return results with outcomes added; those of a run that is known replace it."""
    known = {_identity(one): one for one in results.get("outcomes", [])}
    for one in added:
        known[_identity(one)] = {key: one[key] for key in _KEPT}
    return {**results, "outcomes": [known[key] for key in sorted(known)]}


_KEPT = (
    "lane",
    "guarantee",
    "brokers",
    "kind",
    "seed",
    "number",
    "detail",
    "seconds",
    "recovery",
    "silence",
    "records",
    "outputs",
    "lost",
    "doubled",
    "reordered",
    "wrong",
    "stops",
    "trouble",
)


def _identity(one: Outcome) -> tuple[Any, ...]:
    return (one["lane"], one["brokers"], one["guarantee"], one["seed"], one["number"], one["kind"])


def outcomes_of(file: Path) -> list[Outcome]:
    """Return the outcomes in a file, or in the journal of a run, which may have been cut short.

    Those in which the harness itself failed tell nothing.
    """
    if file.suffix == ".jsonl":
        lines = map(json.loads, file.read_text().splitlines())
        found = [line for line in lines if line["what"] in {"outcome", "end"}]
    else:
        found = json.loads(file.read_text())
    return [one for one in found if "the harness gave up" not in one["trouble"]]


def load() -> dict[str, Any]:
    """Return the results that are kept."""
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return {"outcomes": [], **found}


def save(results: Mapping[str, Any]) -> None:
    """Keep results and write the page."""
    lines = ",\n".join(f"  {json.dumps(one)}" for one in results["outcomes"])
    rest = json.dumps({key: value for key, value in results.items() if key != "outcomes"}, indent=1)
    # One line for each outcome, so that a difference can be read.
    RESULTS.write_text(
        f'{rest[:-1].rstrip()}{"," if len(results) > 1 else ""}\n "outcomes": [\n{lines}\n]}}\n'
    )
    PAGE.write_text(page_text(PAGE.read_text(), results))


def main(files: Sequence[str]) -> None:
    """Add outcomes, then write the page."""
    results = load()
    for file in files:
        results = merged(results, outcomes_of(Path(file)))
    save(results)
    print(totals(results["outcomes"]))


if __name__ == "__main__":
    main(sys.argv[1:])
