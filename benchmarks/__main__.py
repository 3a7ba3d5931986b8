"""`make bench`: start a broker, let the contenders take turns, keep and show what was measured."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks import chart, plan, report, results
from benchmarks.bench import opened, stopwatch
from benchmarks.contenders import CONTENDERS, EXACTLY_ONCE
from benchmarks.session import Session


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for."""
    wanted = plan.parse(arguments)
    say = stopwatch()
    if not wanted.report_only:
        with opened(wanted, say) as bench:
            ready = bench.prepare(CONTENDERS[name] for name in wanted.contenders)
            Session(bench, wanted, ready).run()
    known = results.load(wanted.results)
    print("\n" + report.report(known))
    picture = chart.chart(known.get("throughput", {}), EXACTLY_ONCE)
    if picture:
        wanted.chart.write_text(picture, encoding="utf-8")
        say(f"wrote {wanted.results} and {wanted.chart}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
