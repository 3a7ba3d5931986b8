"""What a foreign-key join costs in a bounded run, and what it would cost by shuffles:
`python -m benchmarks.foreign_keys [--rows N] [--rounds N]`.

Orders by user, each naming a product, joined with a table of products. Sub-topologies of such a
join feed each other, so a bounded run has them in one Spark partition. *By two shuffles* moves the
same records as a stage for each direction would: by product, joined there, and back by user, joined
there. It is no foreign-key join, since it ends with other rows; it is the least that one by
shuffles would do, which has each order twice in the tasks of its own side.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from benchmarks import bounded, data, machine, results
from benchmarks.contenders import ROOT
from benchmarks.topologies import ORDERS, TEXT
from penstock import Consumed, Joined, KTable, Produced, Repartitioned, StreamsBuilder, Topology
from penstock import spark as streams

ROWS = 200_000
WAYS = ("foreign-key", "two-shuffles")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, keep and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign_keys", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each way (3)")
    parser.add_argument("--results", type=Path, default=results.FILE, help="the file added to")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child is not None:
        folder, cores = given.child
        print(json.dumps(measured(Path(folder), int(cores), given.rounds)))
        return 0
    print(f"{machine.description()}; {given.rows:,} orders, {given.rounds} rounds", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bounded.write_orders(Path(folder), given.rows)
        for cores in (1, 2):
            command = [sys.executable, "-m", "benchmarks.foreign_keys", "--child", folder]
            command += [str(cores), "--rounds", str(given.rounds)]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            taken = json.loads(done.stdout.splitlines()[-1])
            found = {name: bounded.summary(each, given.rows) for name, each in taken.items()}
            for name, one in found.items():
                rate, cost = one["per_second"], one["cpu_us"]
                print(f"{cores} cores  {name:14} {rate:10,.0f} orders/s {cost:6.2f} us each")
            results.keep(("foreign-keys", str(cores)), {"rows": given.rows, **found}, given.results)
    return 0


def measured(folder: Path, cores: int, rounds: int) -> Mapping[str, list[tuple[float, float]]]:
    """Return the seconds and the processor seconds of each round of each way."""
    spark = bounded.session(cores)
    orders = spark.read.parquet(str(folder))
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
    for number in range(rounds + 1):
        for name in WAYS:
            used, begin = bounded.used(), time.monotonic()
            # The first turn loads classes and starts processes.
            join(name, orders if number else orders.limit(10_000), products(spark))
            if number:
                taken[name].append((time.monotonic() - begin, bounded.used() - used))
    spark.stop()
    return taken


def products(spark: SparkSession) -> DataFrame:
    """Return the table of products, which is older than all orders."""
    rows = [(f"p{each}", f"product {each}", data.START_MS - 1) for each in range(data.PRODUCTS)]
    return spark.createDataFrame(rows, "key string, value string, timestamp long")


def join(way: str, orders: DataFrame, table: DataFrame) -> None:
    """Run one of the two."""
    result = streams.run(topology(way), {"orders": orders, "products": table})
    bounded.write(result["named"])
    result.unpersist()


def topology(way: str) -> Topology:
    """Return one of the two."""
    builder = StreamsBuilder()
    names: KTable[str, str] = builder.table("products", Consumed(TEXT, TEXT))
    orders = builder.table("orders", Consumed(TEXT, ORDERS))
    if way == "foreign-key":
        named = orders.join(
            names, lambda order: order.product, lambda order, name: f"{order.id} {name}"
        ).to_stream()
    else:
        named = (
            orders.to_stream()
            .select_key(lambda user, order: order.product)
            .repartition(Repartitioned("there", TEXT, ORDERS))
            .join(
                names,
                lambda order, name: f"{order.user} {name}",
                Joined(key=TEXT, value=ORDERS, other_value=TEXT),
            )
            .select_key(lambda product, text: text.partition(" ")[0])
            .repartition(Repartitioned("back", TEXT, TEXT))
            .join(
                orders,
                lambda text, order: f"{order.id} {text}",
                Joined(key=TEXT, value=TEXT, other_value=ORDERS),
            )
        )
    named.to("named", Produced(TEXT, TEXT))
    return builder.build()


if __name__ == "__main__":
    sys.exit(main())
