"""The program of the crash tests, hosted by Spark: a driver and workers to be killed.

`python two_counts_on_spark.py BOOTSTRAP STATE_DIR APPLICATION_ID GUARANTEE` runs until SIGTERM.
Each line it prints is JSON: its state, and the processes that work for it.
"""

from __future__ import annotations

import json
import sys
import threading

from penstock.application import KafkaStreams
from tests.crash.two_counts import settings, topology


def main(arguments: list[str]) -> None:
    """Run the application, and tell about it twice a second."""
    config = settings(*arguments)
    streams = KafkaStreams(topology(config.application_id), config)

    def tell() -> None:
        while True:
            threading.Event().wait(0.5)
            pids = []
            if streams.state.value in {"RUNNING", "REBALANCING"}:
                try:
                    pids = [r.pid for r in streams.reports().values() if r.state == "running"]
                except Exception as error:
                    print(json.dumps({"state": str(error), "pids": []}), flush=True)
                    continue
            print(json.dumps({"state": streams.state.value, "pids": pids}), flush=True)

    threading.Thread(target=tell, daemon=True).start()
    streams.run()


if __name__ == "__main__":
    main(sys.argv[1:])
