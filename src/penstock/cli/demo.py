"""`penstock demo`: a live word count. Until the engine is there it runs on the test driver, and
says so.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import TYPE_CHECKING

from penstock import (
    Consumed,
    Processor,
    Produced,
    Record,
    Stores,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock.testing import TopologyTestDriver

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_LINES = (
    "all streams lead to kafka",
    "hello kafka streams",
    "join the stream of streams",
    "a penstock brings the stream to the turbine",
    "hello turbine",
)
_TEXT, _LONG = serdes.string(), serdes.long()


class CountWords(Processor[str, str, str, int]):
    """Counts each word in a store and forwards the new count."""

    def process(self, record: Record[str, str]) -> None:
        counts = self.context.get_state_store("counts")
        count = (counts.get(record.key) or 0) + 1
        counts.put(record.key, count)
        self.context.forward(record.with_value(count))


def word_count() -> Topology:
    """Build the word count: split lines, group by word through a repartition topic, count."""
    builder = StreamsBuilder()
    builder.add_state_store(Stores.in_memory_key_value_store("counts", key=_TEXT, value=_LONG))
    words = builder.stream("lines", Consumed(key=_TEXT, value=_TEXT)).flat_map_values(str.split)
    by_word = words.select_key(lambda _, word: word).repartition()
    by_word.process(CountWords, state_stores=["counts"]).to(
        "counts-by-word", Produced(_TEXT, _LONG)
    )
    return builder.build()


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("demo", help="show a live word count")
    parser.add_argument(
        "--lines", type=int, default=25, help="how many lines to count (default 25)"
    )
    parser.add_argument(
        "--pause", type=float, default=0.2, help="seconds between lines (default 0.2)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Feed lines and print the counts as they change."""
    topology = word_count()
    print("A live word count, on the test driver: no Spark and no broker yet.\n", flush=True)
    print(topology.describe())
    config = {
        "application.id": "word-count",
        "default.key.serde": _TEXT,
        "default.value.serde": _TEXT,
    }
    with TopologyTestDriver(topology, config) as driver:
        lines = driver.create_input_topic("lines", _TEXT, _TEXT)
        counts = driver.create_output_topic("counts-by-word", _TEXT, _LONG)
        for line in itertools.islice(itertools.cycle(_LINES), arguments.lines):
            lines.pipe_input(line)
            changed = ", ".join(f"{word} {count}" for word, count in counts.read_key_values())
            print(f"{line!r:46} -> {changed}", flush=True)
            time.sleep(arguments.pause)
        table = driver.get_state_store("counts")
        print("\nthe table:", ", ".join(f"{word} {count}" for word, count in table.all()))
    return 0
