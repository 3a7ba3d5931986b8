"""Options are texts: read, checked, and free of secrets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penstock import serdes
from penstock._engine.kafka.client.topic_offsets import TopicChoice
from penstock._engine.spark.dataframes.options import config_for, config_of, request_of
from penstock._engine.spark.dataframes.request import ReadRequest
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig


def test_every_option_is_read() -> None:
    options = {
        "topic": "a, b",
        "startingOffsets": '{"a":{"0":5,"1":-2}}',
        "endingTimestamp": "1500",
        "keyType": "string",
        "valueType": "long",
        "includeHeaders": "true",
        "table": "TRUE",
        "failOnDataLoss": "false",
        "maxOffsetsPerTrigger": "100",
        "maxRecordsPerPartition": "10",
        "kafka.bootstrap.servers": "here:9092",
    }
    assert request_of(options) == ReadRequest(
        TopicChoice(("a", "b")),
        starting={"a": {0: 5, 1: -2}},
        ending=1500,
        key=serdes.string(),
        value=serdes.long(),
        headers=True,
        table=True,
        fail_on_data_loss=False,
        max_offsets_per_trigger=100,
        max_records_per_partition=10,
    )
    assert config_of(options).bootstrap_servers == "here:9092"


def test_a_pattern_and_words_for_offsets() -> None:
    asked = request_of({"subscribePattern": "a.*", "startingOffsets": "Earliest"})
    assert asked == ReadRequest(TopicChoice(pattern="a.*"), starting="earliest")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topic": ""}, "needs one of option('topic', ...)"),
        ({"subscribe": "a", "subscribePattern": "a"}, "got subscribe, subscribepattern"),
        ({"topic": "a", "startingOffsets": "0:5"}, "must be earliest, latest, or offsets such as"),
        ({"topic": "a", "startingOffsets": "[1]"}, "must be earliest, latest, or offsets such as"),
        ({"topic": "a", "startingTimestamp": "now"}, "must be milliseconds since the epoch"),
        (
            {"topic": "a", "startingTimestamp": "5", "startingOffsets": "latest"},
            "must not be given together",
        ),
        (
            {"topic": "a", "failOnDataLoss": "no"},
            "'failOnDataLoss' must be true or false; got 'no'",
        ),
        ({"topic": "a", "maxOffsetsPerTrigger": "0"}, "must be a whole number from 1 on; got '0'"),
        ({"topic": "a", "keyType": "strong"}, "did you mean 'string'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        request_of(options)


@pytest.mark.parametrize(
    "name", ["sasl.password", "kafka.sasl.jaas.config", "ssl.key.password", "KAFKA.SASL.PASSWORD"]
)
def test_a_secret_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(ConfigError, match="holds a secret") as refused:
        config_of({"topic": "a", "bootstrap.servers": "x:1", name: "hunter2"})
    assert "hunter2" not in str(refused.value)


def test_credentials_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("bootstrap.servers=here:9092\nsasl.password=hunter2\n")
    config = config_of({"topic": "a", "settings": str(file)})
    assert config.bootstrap_servers == "here:9092"
    assert config.given()["sasl.password"] == "hunter2"


def test_without_servers_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", "there:9092")
    assert config_of({"topic": "a"}).bootstrap_servers == "there:9092"
    assert config_for(None).bootstrap_servers == "there:9092"
    assert config_for({"bootstrap_servers": "here:9092"}).bootstrap_servers == "here:9092"
    given = StreamsConfig({"application.id": "mine", "bootstrap.servers": "here:9092"})
    assert config_for(given).application_id == "mine"
    assert config_for({"application_id": "mine"}).application_id == "mine"


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"bootstrap\.server"):
        config_of({"topic": "a", "bootstrap.server": "x:1"})
