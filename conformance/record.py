"""Writes `expected.jsonl` and `topology.txt` anew, with Java: `make conformance-record`.

`python -m conformance.record` records all cases, `python -m conformance.record filter null_key`
only these. Nothing else may write these files. Read the difference before you keep it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from conformance import java
from penstock._engine.kafka.local_broker.jars import JarsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Record the cases named on the command line, or all of them."""
    parser = argparse.ArgumentParser(
        prog="conformance.record", description="Record what Java does."
    )
    parser.add_argument("names", nargs="*", metavar="case", help="a folder of conformance/cases/*")
    names = parser.parse_args(arguments).names
    try:
        code = java.record(names, output=java.CASES)
        # All of them, or none: they are few.
        return code or (
            0 if names else java.record((), output=java.QUERY_CASES, cases=java.QUERY_CASES)
        )
    except (java.OracleError, JarsError) as error:
        print(f"conformance-record: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
