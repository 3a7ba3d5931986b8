"""Metrics as text for Prometheus, read back by a parser of its format."""

from __future__ import annotations

import math
import re

import pytest

from penstock.metrics import MetricName, prometheus_name, to_prometheus

SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r"(?:\{(?P<labels>[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\n]|\\[\\n\"])*\""
    r"(?:,[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\n]|\\[\\n\"])*\")*)\})? (?P<value>\S+)"
)
LABEL = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\n]|\\[\\n\"])*)\"")
ESCAPED = {"\\\\": "\\", "\\n": "\n", '\\"': '"'}

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(text: str) -> tuple[Samples, dict[str, str], dict[str, str]]:
    """Return samples, types and helps; refuse what Prometheus would refuse."""
    assert text.endswith("\n")
    samples: Samples = {}
    types: dict[str, str] = {}
    helps: dict[str, str] = {}
    family = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family, _, helps[family] = line.removeprefix("# HELP ").partition(" ")
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert name not in types, "a family is in one piece"
            assert kind in {"counter", "gauge"}
            family, types[name] = name, kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match is not None, line
            assert match["name"] == family
            found = LABEL.findall(match["labels"] or "")
            labels = {
                name: re.sub(r"\\[\\n\"]", lambda one: ESCAPED[one[0]], value)
                for name, value in found
            }
            assert len(labels) == len(found)
            key = match["name"], frozenset(labels.items())
            assert key not in samples
            samples[key] = float(match["value"])
    return samples, types, helps


def test_names_types_helps_and_labels() -> None:
    tags = (("client-id", "app"), ("thread-id", "a"))
    text = to_prometheus(
        {
            MetricName("process-rate", "stream-thread-metrics", tags, "each second"): 2.5,
            MetricName("process-total", "stream-thread-metrics", tags): 7,
            MetricName("process-total", "stream-thread-metrics", (("thread-id", "b"),)): 9,
        }
    )
    samples, types, helps = parsed(text)
    rate, total = (
        prometheus_name(f"process-{one}", "stream-thread-metrics") for one in ("rate", "total")
    )
    assert types == {rate: "gauge", total: "counter"}
    assert helps == {rate: "each second"}
    labels = frozenset({("client_id", "app"), ("thread_id", "a")})
    assert samples == {
        (rate, labels): 2.5,
        (total, labels): 7.0,
        (total, frozenset({("thread_id", "b")})): 9.0,
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (MetricName("process-total", "stream-task-metrics"), "counter"),
        (MetricName("sale-total", "stream-shop-metrics"), "counter"),
        (MetricName("process-total", "stream-processor-node-metrics", (), "records"), "counter"),
        (MetricName("order-size-total", "stream-processor-node-metrics"), "gauge"),
        (MetricName("cache-size-bytes-total", "stream-task-metrics"), "gauge"),
        (MetricName("restore-remaining-records-total", "stream-task-metrics"), "gauge"),
    ],
)
def test_a_total_that_can_fall_is_no_counter(name: MetricName, kind: str) -> None:
    assert [*parsed(to_prometheus({name: 7}))[1].values()] == [kind]


@pytest.mark.parametrize(
    "value", ['a "quoted" \\ text', "two\nlines", "\\n", "{a=b}", "ü, 日本", ""]
)
def test_any_text_can_be_a_label(value: str) -> None:
    text = to_prometheus({MetricName("x", "g", (("topic", value),)): 1})
    ((_, labels),) = parsed(text)[0]
    assert labels == {("topic", value)}


def test_a_text_is_a_label_of_a_gauge_of_one() -> None:
    text = to_prometheus(
        {MetricName("state", "stream-metrics", (("client-id", "app"),)): "RUNNING"}
    )
    ((name, labels),) = parsed(text)[0]
    assert name == "kafka_streams_stream_metrics_state"
    assert labels == {("client_id", "app"), ("state", "RUNNING")}


@pytest.mark.parametrize("value", [math.inf, -math.inf, 0.1, 1e300, 2**60])
def test_any_number_is_read_back(value: float) -> None:
    (read,) = parsed(to_prometheus({MetricName("x", "g"): value}))[0].values()
    assert read == value


def test_a_number_that_is_none_is_nan_and_nothing_is_nothing() -> None:
    (read,) = parsed(to_prometheus({MetricName("x", "g"): math.nan}))[0].values()
    assert math.isnan(read)
    assert to_prometheus({}) == ""


@pytest.mark.parametrize("tag", ["0day", "__name__", "a b", "ünï", ""])
def test_odd_tags_become_names_that_prometheus_takes(tag: str) -> None:
    parsed(to_prometheus({MetricName("x y/z", "g", ((tag, "1"),)): 1}))


def test_a_name_is_its_name_group_and_tags() -> None:
    one = MetricName("x", "g", (("task-id", "0_0"),), "said so")
    assert one == MetricName("x", "g", (("task-id", "0_0"),))
    assert one.tag("task-id") == "0_0"
    assert one.tag("thread-id") is None


def test_metrics_that_would_be_called_alike_are_numbered() -> None:
    names = [
        MetricName("order-size", "g"),
        MetricName("order.size", "g"),
        MetricName("size", "g-order"),
    ]
    assert len({prometheus_name(one.name, one.group) for one in names}) == 1
    tagged = [MetricName(one.name, one.group, (("task-id", "0_1"),)) for one in names]
    text = to_prometheus({name: number for number, name in enumerate([*names, *tagged])})
    called = "kafka_streams_g_order_size"
    labels = frozenset({("task_id", "0_1")})
    assert parsed(text)[0] == {
        (called, frozenset()): 0,
        (called, labels): 3,
        (f"{called}_2", frozenset()): 1,
        (f"{called}_2", labels): 4,
        (f"{called}_3", frozenset()): 2,
        (f"{called}_3", labels): 5,
    }


def test_tags_that_would_be_called_alike_are_numbered() -> None:
    text = to_prometheus(
        {
            MetricName("m", "g", (("x_1", "a"), ("x-1", "b"))): 1,
            MetricName("m", "g", (("x-1", "a"),)): 2,
            MetricName("m", "g", (("x_1", "a"),)): 3,
            MetricName("state", "g", (("state", "a"),)): "RUNNING",
        }
    )
    called = "kafka_streams_g_m"
    assert parsed(text)[0] == {
        (called, frozenset({("x_1", "b"), ("x_1_2", "a")})): 1,
        (called, frozenset({("x_1", "a")})): 2,
        (called, frozenset({("x_1_2", "a")})): 3,
        ("kafka_streams_g_state", frozenset({("state", "a"), ("state_2", "RUNNING")})): 1,
    }
