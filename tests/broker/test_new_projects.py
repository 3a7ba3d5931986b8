"""Programs of `penstock init` at work on a broker; that of a count runs in tests/install."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penstock.cli.arguments.programs import load_application
from penstock.cli.init.project import contents, write
from penstock.testing.broker import LocalBroker
from tests.broker import applications
from tests.broker.applications import run_until, settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

INPUTS: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "enrich": [
        ("customers", "7", {"name": "Ada", "country": "GB"}),
        ("orders", "7", {"product": "book", "amount": 12.5}),
        ("orders", "8", {"product": "pen", "amount": 2.0}),
    ],
    "processor": [
        ("readings", "boiler", {"celsius": 95.0}),
        ("readings", "pump", {"celsius": 20.0}),
    ],
}
OUTPUTS: dict[str, dict[str, dict[str, Any]]] = {
    "enrich": {
        "7": {"product": "book", "amount": 12.5, "customer": "Ada", "country": "GB"},
        "8": {"product": "pen", "amount": 2.0, "customer": None, "country": None},
    },
    "processor": {"boiler": {"celsius": 95.0}},
}
RESULTS = {"enrich": "enriched", "processor": "alerts"}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_the_program_of_a_new_project_runs(
    kind: str, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    name = f"new-{kind}"
    write(tmp_path / name, contents(name, kind, "0.1.0"))
    program = load_application(str(tmp_path / name / "app.py"), {})
    assert program.config.application_id == name
    for topic in {RESULTS[kind], *(topic for topic, _, _ in INPUTS[kind])}:
        kafka_broker.create_topic(f"{name}-{topic}")
    for topic, key, value in INPUTS[kind]:
        applications.write(kafka_broker, f"{name}-{topic}", [(key, json.dumps(value))])
    expected = OUTPUTS[kind]
    config = settings(kafka_broker, tmp_path / "state", name)
    committed = run_until(
        program.topology,
        config,
        lambda outputs: (
            sum(output[0] == f"{name}-{RESULTS[kind]}" for output in outputs) == len(expected)
        ),
    )
    assert committed
    written = applications.latest(kafka_broker, f"{name}-{RESULTS[kind]}")
    assert {key: json.loads(value or "null") for key, value in written.items()} == expected
