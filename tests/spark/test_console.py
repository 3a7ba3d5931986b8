"""The console of a real application on Spark in a real Chromium: figures, a query, an error that a
handler skips, and a worker that is killed.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock import (
    Grouped,
    KStream,
    Materialized,
    serdes,
)
from penstock._engine.control.protocol.messages import Report
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from tests.console.browser import Browser, Page, wait_for
from tests.spark.hosted import TEXT, hosted

PLANTED = "<script>window.planted=1</script>"


def checked(value: str) -> str:
    if PLANTED in value:
        msg = f"cannot take {value}"
        raise ValueError(msg)
    return value


def counted(stream: KStream[str, str]) -> KStream[str, str]:
    return (
        stream.map_values(checked)
        .group_by(lambda key, value: value, Grouped("by-value", key=TEXT, value=TEXT))
        .count(Materialized("console-counts", key=TEXT, value=serdes.long()))
        .to_stream()
        .map_values(str)
    )


@pytest.mark.slow
def test_a_running_application_is_shown(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    settings = {
        "penstock.http.port": 0,
        "penstock.turn.ms": 1500,
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler(),
    }
    servers = kafka_broker.bootstrap_servers
    with hosted(servers, "console-shown", counted, spark, tmp_path, **settings) as (
        application,
        streams,
    ):
        application.write(*((f"k{number}", f"v{number % 7}") for number in range(100)))
        with Browser() as browser:
            page = browser.page()
            page.open(streams.console_link())
            page.until("document.querySelectorAll('.shape').length > 5", "the graph")
            page.until("document.querySelector('#state').textContent === 'RUNNING'", "RUNNING")
            page.until(_figure("tasks", "one => /^[1-9]/.test(one)"), "its tasks")
            _ask_for(page, "v3")
            application.write((PLANTED, PLANTED))
            page.until(_figure("errors", "one => one === '1'"), "the error")
            page.click("#tab-4")
            card = page.until("document.querySelector('.error-card')?.textContent", "its card")
            assert f"ValueError: cannot take {PLANTED}" in card
            assert "test_console.py:" in card
            _kill_a_worker(page, streams.reports())
            assert page.run("window.planted ?? null") is None
            assert page.problems == []


def _figure(name: str, check: str) -> str:
    return f"({check})(document.querySelector('#figure-{name} dd').textContent)"


def _ask_for(page: Page, key: str) -> None:
    page.run(
        "document.querySelector('.shape.store[aria-label$=console-counts]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.until("document.querySelector('.query button')", "the query box")
    page.run("document.querySelector('.query input[name=key]').focus()")
    page.write(key)

    def answered() -> bool:
        page.click(".query button")
        page.until("!/Reading/.test(document.querySelector('.result-note').textContent)", "rows")
        cells = "[...document.querySelectorAll('.result td')].map(one => one.textContent)"
        return bool(page.run(f"{cells}.slice(0, 2).join() === {json.dumps(key + ',14')}"))

    wait_for(answered, "the count of a key", 60)


def _kill_a_worker(page: Page, reports: dict[str, Report]) -> None:
    page.click("#tab-1")
    page.until("document.querySelector('.worker-card')", "the workers")
    victim = next(iter(reports.values())).pid
    os.kill(victim, signal.SIGKILL)
    page.click("#tab-2")
    page.until(
        "[...document.querySelectorAll('.event-text')].some(one => "
        f"/process {victim}\\) (died|is gone)/.test(one.textContent))",
        "the death of the worker",
        60,
    )
