"""Records Java's metrics anew: `python -m conformance.metrics`. It needs a JDK."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.java import command
from conformance.metrics.recorded import RECORDED


def main() -> int:
    """Run Java and write what it says."""
    with tempfile.TemporaryDirectory(prefix="penstock-metrics-") as state:
        run = command(Path(__file__).parent, "MetricNames", str(RECORDED), state)
        return subprocess.run(run, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
