"""A record's time in the runtime itself, without Spark, broker or driver: `make bench-runtime`.

A stateless chain (decode JSON, filter, map_values, select_key, encode) against the same work
written by hand in one loop, and chains of growing length, whose slope is the cost of one operator.
Rounds of all contenders are interleaved, since machines are noisy; ratios of medians count.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec

from benchmarks import results
from penstock import Consumed, KStream, Produced, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.planner.plan import plan_as_one
from penstock._engine.runtime.task import Task

RECORDS = 100_000
ROUNDS = 7
OPERATORS = 20


class Order(msgspec.Struct):
    """What the benchmark's records hold."""

    id: int
    customer: str
    amount: float


def wanted(_key: str, order: Order) -> bool:
    """The user's predicate."""
    return order.amount > 0


def touched(order: Order) -> Order:
    """The user's mapper: gives what it was given, so that only the call is paid for."""
    return order


def customer(_key: str, order: Order) -> str:
    """The user's key selector."""
    return order.customer


def main() -> None:
    """Measure, print, and write the results beside this file."""
    raws = make_records()
    contenders: dict[str, Callable[[], float]] = {
        "by hand": lambda: by_hand(raws),
        "chain of 3": lambda: through_task(chain(), raws),
        "chain of 0": lambda: through_task(operators(0), raws),
        f"chain of {OPERATORS}": lambda: through_task(operators(OPERATORS), raws),
        "calls alone": lambda: calls_alone(raws),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(ROUNDS):
        print(f"round {number + 1} of {ROUNDS}", file=sys.stderr)
        for name, measure in contenders.items():
            times[name].append(measure() / RECORDS * 1e6)
    report(times)


def make_records() -> list[Any]:
    """Make the raw records of one partition."""
    encode = msgspec.json.encode
    return [
        (i, i, b"k%d" % (i % 1000), encode(Order(i, f"c{i % 100}", 1.5)), ())
        for i in range(RECORDS)
    ]


def orders(builder: StreamsBuilder) -> KStream[str, Order]:
    """Begin the stream that all chains share."""
    return builder.stream("orders", Consumed(key=serdes.string(), value=serdes.json(Order)))


def chain() -> StreamsBuilder:
    """Build the chain of the issue: decode, filter, map_values, select_key, encode."""
    builder = StreamsBuilder()
    stream = orders(builder).filter(wanted).map_values(touched).select_key(customer)
    stream.to("out", Produced(key=serdes.string(), value=serdes.json(Order)))
    return builder


def operators(count: int) -> StreamsBuilder:
    """Build a chain of `count` map_values between the same ends."""
    builder = StreamsBuilder()
    stream = orders(builder)
    for _ in range(count):
        stream = stream.map_values(touched)
    stream.to("out", Produced(key=serdes.string(), value=serdes.json(Order)))
    return builder


def through_task(builder: StreamsBuilder, raws: list[Any]) -> float:
    """Return the seconds that a task takes for all records."""
    config = StreamsConfig({"application.id": "bench"})
    task = Task("0_0", plan_as_one(builder.build(), "bench"), config, [("orders", 0)], lambda _: 1)
    task.start(0)
    task.add_records("orders", 0, raws)
    start = time.perf_counter()
    task.process(0, len(raws))
    seconds = time.perf_counter() - start
    assert len(task.drain()) == len(raws)
    return seconds


def by_hand(raws: list[Any]) -> float:
    """Return the seconds that a loop takes which does the chain's work and nothing else."""
    decode, encode = msgspec.json.Decoder(Order).decode, msgspec.json.Encoder().encode
    out: list[Any] = []
    start = time.perf_counter()
    for _, timestamp, raw_key, raw_value, headers in raws:
        key = raw_key.decode()
        order = decode(raw_value)
        if wanted(key, order):
            order = touched(order)
            key = customer(key, order)
            out.append(("out", None, key.encode(), encode(order), timestamp, headers))
    return time.perf_counter() - start


def calls_alone(raws: list[Any]) -> float:
    """Return the seconds that the user's functions of the longest chain take by themselves."""
    order = Order(1, "c", 1.5)
    start = time.perf_counter()
    for _ in raws:
        for _ in range(OPERATORS):
            touched(order)
    return time.perf_counter() - start


def report(times: dict[str, list[float]]) -> None:
    """Print the medians and what follows from them, and write both."""
    median = {name: statistics.median(values) for name, values in times.items()}
    hand, three = median["by hand"], median["chain of 3"]
    slope = (median[f"chain of {OPERATORS}"] - median["chain of 0"]) / OPERATORS
    call = median["calls alone"] / OPERATORS
    print(f"{'microseconds per record (median of ' + str(ROUNDS) + ')':52s} spread")
    for name in ("by hand", "chain of 3", "chain of 0", f"chain of {OPERATORS}"):
        low, high = min(times[name]), max(times[name])
        print(f"  {name:20s} {median[name]:8.2f} {'':20s} {low:.2f} .. {high:.2f}")
    print(
        f"decode, filter, map_values, select_key, encode: {three / hand:.2f} x the hand-written "
        "loop"
    )
    print(f"one operator: {slope:.3f} us, of which the user's function {call:.3f} us")
    print(f"beyond the user's function: {slope - call:.3f} us per operator (aim: 0.3)")
    results.keep(
        ("runtime",),
        {
            "records": RECORDS,
            "rounds": ROUNDS,
            "microseconds_per_record": {name: round(value, 3) for name, value in median.items()},
            "chain_to_hand_written": round(three / hand, 3),
            "microseconds_per_operator": round(slope, 4),
            "microseconds_per_operator_beyond_user_function": round(slope - call, 4),
            results.MEASURED: results.stamp("runtime"),
        },
    )


if __name__ == "__main__":
    main()
