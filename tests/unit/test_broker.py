"""The public face of the local broker. The broker itself: tests/unit/engine/kafka."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import StreamsBuilder
from penstock.broker import LocalBroker, local_cluster
from penstock.testing import broker as for_tests


def test_settings_that_name_a_cluster_are_given_as_they_are() -> None:
    builder = StreamsBuilder()
    builder.stream("lines").to("copies")
    settings = {"application.id": "app", "bootstrap.servers": "kafka:9092"}
    with local_cluster(builder.build(), settings) as config:
        assert config.given() == settings


@pytest.mark.slow
def test_the_local_broker_has_the_program_s_topics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    builder = StreamsBuilder()
    builder.stream("lines").to("copies")
    with local_cluster(builder.build(), {"application.id": "app"}) as config:
        assert config.names_cluster
        assert config.state_dir == tmp_path / "broker" / "state"
    assert "made the missing topics copies, lines" in capsys.readouterr().err


def test_it_is_the_broker_of_tests() -> None:
    assert LocalBroker is for_tests.LocalBroker
