"""The catalogue of metrics, and what is written about them elsewhere: all of it exists."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from penstock._engine.metrics.catalogue import CATALOGUE, description
from penstock._engine.state.rocksdb.key_value import PROPERTIES
from penstock.metrics import prometheus_name
from tests.outside_programs import need

DOCS = Path(__file__).parents[4] / "docs"
FILES = DOCS / "assets" / "monitoring"
KNOWN = {prometheus_name(name, group) for group, names in CATALOGUE.items() for name in names}
NAME = re.compile(r"\bkafka_streams_\w+")


def expressions(file: str) -> list[str]:
    """Return the queries of a dashboard or of alert rules."""
    text = (FILES / file).read_text("utf-8")
    if file.endswith(".json"):
        board = json.loads(text)
        variables = [one["query"] for one in board["templating"]["list"]]
        return variables + [
            target["expr"] for panel in board["panels"] for target in panel["targets"]
        ]
    groups = yaml.safe_load(text)["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


@pytest.mark.parametrize("file", ["grafana-dashboard.json", "alert-rules.yaml"])
def test_every_metric_that_a_file_names_exists(file: str) -> None:
    found = {name for one in expressions(file) for name in NAME.findall(one)}
    assert len(found) > 5
    assert found - KNOWN == set()


def test_the_monitoring_page_names_metrics_that_exist_and_all_of_ours() -> None:
    page = (DOCS / "how-to" / "monitoring.md").read_text("utf-8")
    assert set(NAME.findall(page)) - KNOWN == set()
    ours = {name for names in CATALOGUE.values() for name, entry in names.items() if entry.ours}
    assert [name for name in sorted(ours) if f"`{name}`" not in page] == []


def test_alert_rules_have_what_prometheus_asks_for() -> None:
    groups = yaml.safe_load((FILES / "alert-rules.yaml").read_text("utf-8"))["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    for rule in rules:
        assert {"alert", "expr", "labels", "annotations"} <= rule.keys()
        assert rule["expr"].count("(") == rule["expr"].count(")")
    assert len({rule["alert"] for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "rules", str(FILES / "alert-rules.yaml")],
        ["test", "rules", str(Path(__file__).with_name("alert-rules-test.yaml"))],
    ],
)
def test_prometheus_takes_the_alert_rules_and_they_fire_when_they_should(words: list[str]) -> None:
    promtool = shutil.which("promtool") or ""
    need("promtool", found=bool(promtool))
    done = subprocess.run([promtool, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rocksdb_s_numbers_are_in_the_catalogue() -> None:
    assert set(PROPERTIES) <= CATALOGUE["stream-state-metrics"].keys()


def test_a_sensor_of_the_user_has_no_description() -> None:
    assert description("stream-shop-metrics", "sale-rate") == ""
    assert description("stream-metrics", "state")
