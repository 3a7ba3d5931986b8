"""`make bench`: start a broker, let the contenders take turns, keep and show what was measured."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import chart, plan, report, results
from benchmarks.bench import Bench
from benchmarks.cluster import cluster
from benchmarks.contenders import EXACTLY_ONCE
from benchmarks.session import Session


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for."""
    wanted = plan.parse(arguments)
    # Whoever ends it, the contenders and the broker end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    begin = time.monotonic()

    def say(text: str) -> None:
        minutes, seconds = divmod(round(time.monotonic() - begin), 60)
        print(f"[{minutes:3d}:{seconds:02d}] {text}", flush=True)

    if not wanted.report_only:
        # Not deleted: should something go wrong, the contenders' logs are here.
        folder = Path(tempfile.mkdtemp(prefix="penstock-bench-"))
        say(f"the contenders' logs are in {folder}")
        with cluster(folder, say) as running:
            bench = Bench(folder, running, say, wanted)
            Session(bench, wanted, bench.prepare(wanted.contenders)).run()
    known = results.load(wanted.results)
    print("\n" + report.report(known))
    picture = chart.chart(known.get("throughput", {}), EXACTLY_ONCE)
    if picture:
        wanted.chart.write_text(picture, encoding="utf-8")
        say(f"wrote {wanted.results} and {wanted.chart}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
