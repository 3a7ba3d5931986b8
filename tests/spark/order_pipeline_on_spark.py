"""The order pipeline example on Spark, for a test that kills it.

`python -m tests.spark.order_pipeline_on_spark SERVERS STATE_DIR DATABASE_URL` processes the orders
that are there and ends.
"""

from __future__ import annotations

import sys

from examples import order_pipeline
from penstock import KafkaStreams
from penstock.database import Database


def main(servers: str, state_dir: str, url: str) -> None:
    """Run to the end of the input."""
    places = {
        "bootstrap.servers": servers,
        "state.dir": state_dir,
        "consumer.session.timeout.ms": 6000,
    }
    topology = order_pipeline.topology(Database(url))
    settings = {**order_pipeline.settings, **places}
    KafkaStreams(topology, settings).run(available_now=True, quiet=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
