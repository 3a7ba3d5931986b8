"""The program hosted by Spark: a driver, its JVM and workers, to be killed one by one.

    python -m tests.chaos.on_spark SERVERS STATE_DIR APPLICATION_ID GUARANTEE TROUBLES

It runs until SIGTERM. Each line it prints is JSON: its state, and the processes that work for it.
"""

from __future__ import annotations

import json
import sys
import threading

from penstock.application import KafkaStreams
from tests.chaos.program import settings, topology
from tests.chaos.worker import die_with_parent


def main(arguments: list[str]) -> None:
    """Run the application, and tell about it four times a second."""
    die_with_parent()
    *given, troubles = arguments
    config = settings(*given)
    streams = KafkaStreams(topology(config.application_id, troubles), config)

    def tell() -> None:
        while True:
            threading.Event().wait(0.25)
            pids: list[int] = []
            if streams.state.value in {"RUNNING", "REBALANCING"}:
                try:
                    pids = [one.pid for one in streams.reports().values() if one.state == "running"]
                except Exception as error:
                    print(json.dumps({"state": str(error), "pids": []}), flush=True)
                    continue
            print(json.dumps({"state": streams.state.value, "pids": pids}), flush=True)

    threading.Thread(target=tell, daemon=True).start()
    streams.run()


if __name__ == "__main__":
    main(sys.argv[1:])
