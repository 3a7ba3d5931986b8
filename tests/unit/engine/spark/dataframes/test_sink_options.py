"""The options of the sink: what they mean, and which are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import serdes
from penstock._engine.spark.dataframes.sink_options import (
    SinkOptions,
    options_of,
    settings_for,
)
from penstock.errors import ConfigError

SERVERS = {"bootstrap.servers": "broker:9092"}


def test_options_say_topic_types_and_settings() -> None:
    options = options_of(
        {
            **SERVERS,
            "Topic": "orders",
            "keyType": "long",
            "valuetype": "json",
            "checkpointLocation": "/somewhere",
            "producer.linger.ms": "7",
            "afterPartialWrite": "again",
        }
    )
    assert (options.topic, options.key, options.again) == ("orders", serdes.long(), True)
    assert type(options.value) is type(serdes.json())
    assert options.config.given()["producer.linger.ms"] == "7"
    assert options_of(SERVERS).topic is None
    spelled = options_of({"kafka.bootstrap.servers": "broker:9092", "kafka.acks": "all"}).config
    assert (spelled.bootstrap_servers, spelled.given()["acks"]) == ("broker:9092", "all")


def test_a_file_holds_the_secrets(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("bootstrap.servers=filed:9092\nsasl.password=hush\n")
    config = options_of({"topic": "t", "settings": str(file)}).config
    assert config.bootstrap_servers == "filed:9092"
    assert config.given()["sasl.password"] == "hush"
    assert options_of({**SERVERS, "settings": str(file)}).config.bootstrap_servers == "broker:9092"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({**SERVERS, "sasl.password": "hush1"}, "'sasl.password' holds a secret"),
        ({**SERVERS, "schema.registry.url": "http://me:hush1@registry"}, "holds a secret"),
        ({**SERVERS, "keyType": "strong"}, "did you mean 'string'"),
        ({**SERVERS, "afterPartialWrite": "hope"}, "must be 'refuse' or 'again'; got 'hope'"),
        ({**SERVERS, "settings": "/not/there.properties"}, "cannot be read"),
        ({"topic": "t", "acks": "all"}, "bootstrap.servers"),
        ({**SERVERS, "topc": "t"}, "topc"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        options_of(options)
    assert "hush1" not in str(refused.value)


def test_settings_come_from_the_environment_if_none_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", "there:9092")
    assert settings_for(None).bootstrap_servers == "there:9092"
    assert options_of({"topic": "t", "acks": "all"}).config.bootstrap_servers == "there:9092"
    assert settings_for({"acks": "all"}).bootstrap_servers == "there:9092"
    assert settings_for(SERVERS).bootstrap_servers == "broker:9092"
    with pytest.raises(ConfigError, match="settings"):
        settings_for(["there:9092"])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["key", "value"])
def test_a_name_is_no_serde(name: str) -> None:
    serde: Any = {name: "string"}
    with pytest.raises(ConfigError, match=f"{name} must be a serde, such as .*; got 'string'"):
        SinkOptions("t", settings_for(SERVERS), **serde)
