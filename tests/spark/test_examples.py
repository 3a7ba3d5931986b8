"""Every example on Spark and a real broker, on a bounded input: every result is the right one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from examples.shows import SHOWS
from examples.stage.checked import check, script
from examples.stage.live import now_ms, settings_of
from examples.stage.topics import Writer, read_all
from examples.user_analytics import TOP, PageViews
from penstock import KafkaStreams, State, StreamsConfig, Windowed
from penstock._engine.http.address_file import read_addresses
from penstock._engine.http.clients.client import HttpClient
from penstock.broker import make_missing_topics
from penstock.errors import StoreNotReadyError
from penstock.testing.broker import LocalBroker
from tests.docs.blocks import DOCS, run_page

pytestmark = pytest.mark.slow

COUNT = 600
HOUR_MS = 3_600_000
ELSEWHERE = ("order_pipeline", "user_analytics")
"""In other tests of this file and of test_order_pipeline_killed.py."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker of our own: the examples' topics have fixed names."""
    with LocalBroker(tmp_path_factory.mktemp("examples")) as broker:
        yield broker


@pytest.mark.parametrize("name", [name for name in SHOWS if name not in ELSEWHERE])
def test_every_result_is_the_right_one(
    name: str, broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = broker.bootstrap_servers
    outcome = check(SHOWS[name](), servers, str(tmp_path), COUNT, spark=spark)
    assert outcome.differences == []
    assert outcome.records_in >= COUNT
    assert all(outcome.checked.values()), "an answer with nothing in it proves nothing"


@pytest.mark.slow
def test_the_order_pipeline_writes_to_postgresql(
    broker: LocalBroker,
    spark: SparkSession,
    tmp_path: Path,
    postgresql: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del broker  # each database needs a new broker, whose offsets begin at 0, or they are known
    monkeypatch.setenv("DATABASE_URL", postgresql)
    with LocalBroker(tmp_path / "broker") as another:
        servers, state = another.bootstrap_servers, str(tmp_path / "state")
        outcome = check(SHOWS["order_pipeline"](), servers, state, COUNT, spark=spark)
    assert outcome.differences == []


def test_user_analytics_shows_its_results_over_rest(spark: SparkSession, tmp_path: Path) -> None:
    # Which profile a view meets depends on the order of all records: no other test may write.
    with LocalBroker(tmp_path / "broker") as another:
        check_over_rest(another.bootstrap_servers, spark, tmp_path / "state")


def check_over_rest(servers: str, spark: SparkSession, state: Path) -> None:
    show = SHOWS["user_analytics"]()
    places = {"bootstrap.servers": servers, "state.dir": str(state), "penstock.http.port": 0}
    config = StreamsConfig({**settings_of(show), **places})
    make_missing_topics(show.topology(), config)
    writer = Writer(servers)
    writer.write(script(show, now_ms() - COUNT * show.step_ms - 2 * HOUR_MS, COUNT))
    writer.flush()
    with KafkaStreams(show.topology(), config, spark=spark) as streams:
        streams.start()
        assert streams.wait_until(State.RUNNING, 120_000)
        right = show.expected(read_all(servers, show.inputs))
        (served,) = read_addresses(state / config.application_id)
        with closing(HttpClient(served)) as client:
            # Tasks commit at their own times: what one store has, another may not have yet.
            wait_for(lambda: tiers(client), right["views-by-tier"])
            wait_for(lambda: minutes(client), right["views-per-minute"])
            wait_for(lambda: most_seen(client), right["top-pages"])
        # The examples of user-analytics.md.
        run_page(DOCS / "user-analytics.md", {"url": served.url, "token": served.token})


def tiers(client: HttpClient) -> dict[str, int]:
    return {row["key"]: row["value"] for row in client.range("views-by-tier", {})}


def minutes(client: HttpClient) -> dict[Windowed[str], int]:
    rows = client.range("views-per-minute", {"limit": "500"})
    return {Windowed(row["key"], **row["window"]): row["value"] for row in rows}


def most_seen(client: HttpClient) -> dict[str, list[PageViews]]:
    found = {}
    for row in client.range("pages-by-minute", {}):
        pages = [PageViews(**page) for page in row["value"]]
        found[row["key"]] = sorted(pages, key=lambda page: (-page.views, page.page))[:TOP]
    return found


def wait_for(read: Callable[[], object], right: object) -> None:
    """Wait until all is counted."""
    until = time.monotonic() + 120
    found: object = None
    while found != right:
        assert time.monotonic() < until, (found, right)
        time.sleep(0.2)
        with suppress(StoreNotReadyError):  # a task moves or restores
            found = read()
