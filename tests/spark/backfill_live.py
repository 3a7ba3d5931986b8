"""History in Parquet, then live, with the backfill killed in the middle: `make backfill`.

`python -m tests.spark.backfill_live --events 2000000` makes so many events, runs
`penstock backfill` on nine tenths of them, kills it (SIGKILL) when a part is written, runs it
again, and lets `penstock run` process the rest from Kafka. Every record of every output topic is
compared with what plain Python says: for each key all updates, in order, each once.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from confluent_kafka import Producer

from penstock import serdes
from penstock._engine.kafka.client.topic_io import TopicReader, record_count
from penstock._engine.kafka.local_broker.broker import LocalBroker

APP = Path(__file__).with_name("user_analytics.py")
TOO_MUCH, MINUTE_MS = 900, 60_000
PAGES, PARTITIONS = 50, 4
START_MS = 1_760_000_000_000
FOR_EVER = {"retention.ms": "-1"}
RUN_SECONDS = 3600.0
_ROWS_AT_ONCE = 100_000

Event: TypeAlias = tuple[str, dict[str, object], int]
"""(user, event, timestamp)."""
Updates: TypeAlias = dict[str, list[object]]
"""By key, all values in order."""


def make_events(count: int) -> Iterator[Event]:
    """Make events, always the same; no two have the same time."""
    chance = Random(7)
    users = max(50, count // 100)
    for number in range(count):
        event = {"page": f"page-{chance.randrange(PAGES)}", "amount": chance.randrange(500)}
        yield f"user-{chance.randrange(users)}", event, START_MS + number * 20


def expected(events: Iterator[Event]) -> dict[str, Updates]:
    """Return what the output topics must hold, computed without any of our code."""
    visits: dict[str, int] = defaultdict(int)
    spent: dict[str, int] = defaultdict(int)
    views: dict[str, int] = defaultdict(int)
    by_minute: dict[str, int] = defaultdict(int)
    told: dict[str, Updates] = {
        topic: defaultdict(list) for topic in ("user-visits", "profiles", "page-views", "alerts")
    }
    for user, event, timestamp in events:
        minute, amount = timestamp - timestamp % MINUTE_MS, int(str(event["amount"]))
        visits[user] += 1
        told["user-visits"][user].append(visits[user])
        if user in spent:
            told["profiles"][user].append(f"{visits[user]} visits, {spent[user]} spent")
        spent[user] += amount
        told["profiles"][user].append(f"{visits[user]} visits, {spent[user]} spent")
        page = f"{event['page']}@{minute}"
        views[page] += 1
        told["page-views"][page].append(views[page])
        window = f"{user}@{minute}"
        by_minute[window] += amount
        if by_minute[window] > TOO_MUCH:
            told["alerts"][window].append(by_minute[window])
    return told


def write_parquet(events: Iterator[Event], path: Path) -> None:
    """Write an archive as one has it: keys, values, times, nothing of Kafka."""
    columns = [("key", pa.string()), ("value", pa.binary()), ("timestamp", pa.int64())]
    with pq.ParquetWriter(path, pa.schema(columns)) as writer:
        rows: list[tuple[str, bytes, int]] = []
        for user, event, timestamp in events:
            rows.append((user, json.dumps(event).encode(), timestamp))
            if len(rows) == _ROWS_AT_ONCE:
                writer.write_batch(_batch(rows, columns))
                rows = []
        if rows:
            writer.write_batch(_batch(rows, columns))


def _batch(rows: list[tuple[str, bytes, int]], columns: list[tuple[str, pa.DataType]]) -> object:
    return pa.record_batch([list(column) for column in zip(*rows, strict=True)], pa.schema(columns))


def write_topic(events: Iterator[Event], servers: str) -> None:
    """Write what comes after the archive to the topic."""
    producer = Producer({"bootstrap.servers": servers, "partitioner": "murmur2_random"})
    for user, event, timestamp in events:
        producer.produce("events", json.dumps(event), user, timestamp=timestamp)
        producer.poll(0)
    producer.flush()


@dataclass(frozen=True)
class Site:
    """Where a run takes place."""

    servers: str
    work: Path
    master: str = "local[2]"

    def words(self, *words: str) -> list[str]:
        """Return the words of a command of ours for the program."""
        name, *rest = words
        settings = {
            "state.dir": str(self.work / "state"),
            "penstock.spark.master": self.master,
            # A live run that has nothing left to do ends with its turn.
            "penstock.turn.ms": "2000",
        }
        told = [word for pair in settings.items() for word in ("--set", "=".join(pair))]
        return [name, str(APP), "--bootstrap-servers", self.servers, *told, *rest]

    def command(self, *words: str) -> list[str]:
        """Return a command line of ours for the program."""
        command = [sys.executable, "-c", "import penstock.cli as c, sys; sys.exit(c.main())"]
        return [*command, *self.words(*words)]

    def run(self, *words: str, environment: Mapping[str, str] | None = None) -> int:
        """Run a command to its end; give its exit code."""
        with (self.work / f"{words[0]}.log").open("ab") as log:
            return subprocess.run(
                self.command(*words),
                stdout=log,
                stderr=log,
                timeout=RUN_SECONDS,
                check=False,
                env={**os.environ, **(environment or {})},
            ).returncode

    def kill_when_written(self, records: int, *words: str) -> None:
        """Run a command and kill it when a topic has so many records. It cannot end before: the
        program's page views wait.
        """
        path, hold = self.work / f"{words[0]}-killed.log", self.work / "hold"
        hold.touch()
        with path.open("ab") as log:
            process = subprocess.Popen(
                self.command(*words),
                stdout=log,
                stderr=log,
                env={**os.environ, "USER_ANALYTICS_HOLD": str(hold)},
            )
            while record_count(self.servers, "user-visits") < records:
                if process.poll() is not None:
                    how = f"ended with {process.returncode} before it could be killed"
                    msg = f"the backfill {how}: {_tail(path)}"
                    raise RuntimeError(msg)
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
        hold.unlink()  # Workers that outlived it go on.


def read_updates(servers: str, topic: str) -> Updates:
    """Return all committed values of each key of a topic, in order."""
    serde = serdes.string() if topic == "profiles" else serdes.long()
    updates: Updates = defaultdict(list)
    reader = TopicReader(servers, [topic])
    while not reader.caught_up:
        for record in reader.read(1.0):
            key = (record.key or b"").decode()
            updates[key].append(serde.deserialize(topic, record.value))
    reader.close()
    return updates


def make_topics(broker: LocalBroker) -> None:
    """Make the topics of the program."""
    for topic in ("events", "user-visits", "profiles", "page-views", "alerts"):
        broker.create_topic(topic, PARTITIONS, FOR_EVER)


def go_through(
    site: Site, events: int, say: Callable[[str], None] = lambda _: None
) -> dict[str, tuple[Updates, Updates]]:
    """Backfill, killed once, then live; give by topic what was written and what must be."""
    say(f"writing the history of {events:,} events to Parquet")
    all_events = list(make_events(events))
    history, live = all_events[: events * 9 // 10], all_events[events * 9 // 10 :]
    archive = site.work / "events.parquet"
    write_parquet(iter(history), archive)
    words = ("backfill", "--input", f"events={archive}", "--live-from", "events=earliest")
    say("a backfill, killed when a part is written")
    site.kill_when_written(events // 5, *words)
    if site.run("run", "--available-now") == 0:
        msg = "the application must not start on half a state"
        raise RuntimeError(msg)
    say("the same backfill again, to its end")
    if code := site.run(*words):
        msg = f"the second backfill ended with {code}: {_tail(site.work / 'backfill.log')}"
        raise RuntimeError(msg)
    say("the rest of the events, live")
    write_topic(iter(live), site.servers)
    if code := site.run("run", "--available-now"):
        msg = f"the live application ended with {code}: {_tail(site.work / 'run.log')}"
        raise RuntimeError(msg)
    say("comparing every record")
    told = expected(iter(all_events))
    return {topic: (read_updates(site.servers, topic), told[topic]) for topic in told}


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-3000:]


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through it once; return 0 if all topics hold what they must."""
    parser = argparse.ArgumentParser(prog="tests.spark.backfill_live")
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args(arguments)
    failed = 0
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - began:4.0f} s] {text}", flush=True)

    with (
        tempfile.TemporaryDirectory(prefix="penstock-backfill-") as work,
        LocalBroker(Path(work) / "broker") as broker,
    ):
        make_topics(broker)
        site = Site(broker.bootstrap_servers, Path(work), options.master)
        for topic, (got, wanted) in go_through(site, options.events, say).items():
            wrong = [key for key in {*got, *wanted} if got.get(key) != wanted.get(key)]
            failed += bool(wrong)
            count = sum(map(len, wanted.values()))
            print(f"{'FAIL' if wrong else 'ok'} {topic}: {count:,} records of {len(wanted):,} keys")
            for key in wrong[:3]:
                print(f"  {key}\n    got  {got.get(key)}\n    must {wanted.get(key)}")
        print(f"{options.events:,} events in {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
