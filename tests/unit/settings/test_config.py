"""StreamsConfig: what it takes, what it refuses, what it shows."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from penstock import StreamsConfig, serdes
from penstock.errors import ConfigError
from penstock.handlers import LogAndContinueExceptionHandler


def config(values: dict[str, Any] | None = None) -> StreamsConfig:
    return StreamsConfig({"application.id": "fraud", **(values or {})})


def refusal(values: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        config(values)
    return str(caught.value)


class TestValues:
    def test_defaults_are_those_of_kafka_streams(self) -> None:
        fresh = config()
        assert (
            fresh.commit_interval_ms,
            fresh.poll_ms,
            fresh.buffered_records_per_partition,
            fresh.max_task_idle_ms,
            fresh.task_timeout_ms,
            fresh.repartition_purge_interval_ms,
            fresh.replication_factor,
            fresh.exactly_once,
            fresh.auto_offset_reset,
            fresh.max_poll_records,
        ) == (30_000, 100, 1000, 0, 300_000, 30_000, -1, False, "earliest", 1000)

    def test_exactly_once_commits_ten_times_a_second(self) -> None:
        assert config({"processing.guarantee": "exactly_once_v2"}).commit_interval_ms == 100

    def test_a_commit_interval_that_is_given_counts_under_exactly_once_too(self) -> None:
        given = {"processing.guarantee": "exactly_once_v2", "commit.interval.ms": 5000}
        assert config(given).commit_interval_ms == 5000

    def test_keys_may_be_dotted_or_in_snake_case(self) -> None:
        assert StreamsConfig({"application_id": "a", "poll_ms": 7}).poll_ms == 7

    def test_a_key_in_both_spellings_is_refused(self) -> None:
        assert (
            refusal({"poll.ms": 1, "poll_ms": 2})
            == "setting 'poll.ms' must be given once; got it dotted and in snake_case; leave "
            "one out"
        )

    def test_text_is_trimmed_as_in_java(self) -> None:
        assert config({"poll.ms": " 7 "}).poll_ms == 7

    def test_the_server_of_an_instance_is_a_host_and_a_port(self) -> None:
        assert config({}).application_server is None
        assert config({"application.server": "node-1:80"}).application_server == ("node-1", 80)
        assert config({"application.server": "[::1]:80"}).application_server == ("::1", 80)

    def test_servers_may_be_a_list(self) -> None:
        given = config({"bootstrap.servers": ["a:9092", "b:9093"]})
        assert given.bootstrap_servers == "a:9092,b:9093"

    def test_servers_are_missed_only_where_they_are_needed(self) -> None:
        with pytest.raises(ConfigError, match=r"^setting 'bootstrap.servers' must be given"):
            _ = config().bootstrap_servers

    def test_clients_are_named_after_the_application(self) -> None:
        assert config().client_id == "fraud"
        assert config({"client.id": "blue"}).client_id == "blue"

    def test_the_master_retries_slots_that_fail(self) -> None:
        assert config().spark_master == "local[*,4]"
        assert config({"num.stream.threads": 3}).spark_master == "local[3,4]"
        assert config({"penstock.spark.master": "yarn"}).spark_master == "yarn"

    def test_state_is_in_the_folder_that_is_named(self) -> None:
        assert config({"state.dir": "/data/state"}).state_dir == Path("/data/state")

    def test_handlers_may_be_named(self) -> None:
        given = config({"deserialization.exception.handler": "LogAndContinueExceptionHandler"})
        assert isinstance(given.handlers()[0], LogAndContinueExceptionHandler)

    def test_the_reset_policy_comes_from_the_consumers_settings(self) -> None:
        assert config({"auto.offset.reset": "latest"}).auto_offset_reset == "latest"
        assert config({"consumer.auto.offset.reset": "none"}).auto_offset_reset == "none"

    def test_the_main_consumers_settings_go_before_those_of_all_consumers(self) -> None:
        given = {"consumer.max.poll.records": 5, "main.consumer.max.poll.records": "6"}
        assert config(given).max_poll_records == 6

    def test_it_can_be_shipped_to_a_worker(self) -> None:
        given = config({"default.key.serde": serdes.string(), "sasl.password": "x", "app.n": 1})
        assert pickle.loads(pickle.dumps(given)).given() == given.given()


class TestRefusals:
    @pytest.mark.parametrize(
        ("key", "value", "message"),
        [
            (
                "processing.guarantee",
                "exactly_once",
                "setting 'processing.guarantee' must be 'at_least_once' or 'exactly_once_v2'; got "
                "'exactly_once': it was removed in Kafka Streams 4.0; 'exactly_once_v2' gives the "
                "same guarantee with fewer producers",
            ),
            (
                "replication.factor",
                0,
                "setting 'replication.factor' must be -1 (the broker's default) or at least 1; "
                "got 0",
            ),
            (
                "application.id",
                "my app",
                "setting 'application.id' must be made of letters, digits, '.', '_' and '-', at "
                "most 200, since topics are named after it; got 'my app'",
            ),
            (
                "bootstrap.servers",
                "localhost",
                "setting 'bootstrap.servers' must be 'host:port', several with commas; got "
                "'localhost'; the port is missing: Kafka's is mostly 9092",
            ),
            (
                "consumer.auto.offset.reset",
                "by_duration:PT1H",
                "setting 'consumer.auto.offset.reset' must be 'earliest' or 'latest' or 'none'; "
                "got 'by_duration:PT1H'",
            ),
            (
                "topology.optimization",
                "some",
                "setting 'topology.optimization' must be 'none', 'all', or some of "
                "merge.repartition.topics, reuse.ktable.source.topics, single.store.self.join; "
                "got 'some'",
            ),
        ],
    )
    def test_a_wrong_value_is_refused_with_what_it_may_be(
        self, key: str, value: Any, message: str
    ) -> None:
        assert refusal({key: value}) == message

    def test_the_application_must_have_a_name(self) -> None:
        with pytest.raises(ConfigError, match=r"^setting 'application.id' must be given"):
            StreamsConfig({})

    def test_a_cluster_needs_servers(self) -> None:
        with pytest.raises(ConfigError, match=r"bootstrap.servers"):
            config().check_for_cluster()

    def test_optimizations_must_have_been_asked_for_when_the_topology_was_built(self) -> None:
        given = config({"bootstrap.servers": "a:1", "topology.optimization": "all"})
        with pytest.raises(ConfigError) as caught:
            given.check_optimizations(frozenset({"single.store.self.join"}))
        assert str(caught.value) == (
            "setting 'topology.optimization' is 'all', but the topology was built without "
            "merge.repartition.topics, reuse.ktable.source.topics; pass the settings to the "
            "builder too: builder.build(settings)"
        )

    def test_a_topology_that_was_not_built_has_nothing_to_optimize(self) -> None:
        config({"topology.optimization": "all"}).check_optimizations(None)

    def test_a_topology_may_have_been_optimized_without_a_word_here(self) -> None:
        config().check_optimizations(frozenset({"merge.repartition.topics"}))

    def test_a_client_is_told_plain_values_and_no_error_shows_them(self) -> None:
        message = refusal({"sasl.password": {"hunter2"}})
        assert message == (
            "setting 'sasl.password' must be a str, a number, a bool or a list of str; got a set"
        )


class TestClients:
    def test_bare_keys_go_to_the_clients_that_know_them(self) -> None:
        given = config({"security.protocol": "SSL", "fetch.min.bytes": 5, "acks": "all"})
        assert given.client_settings("consumer.") == {
            "security.protocol": "SSL",
            "fetch.min.bytes": 5,
        }
        assert given.client_settings("producer.") == {"security.protocol": "SSL", "acks": "all"}
        assert given.client_settings("admin.") == {"security.protocol": "SSL"}

    def test_a_protocol_may_be_written_in_any_case(self) -> None:
        given = config({"security.protocol": "sasl_ssl", "admin.security.protocol": "Ssl"})
        assert given.client_settings("producer.") == {"security.protocol": "SASL_SSL"}
        assert given.client_settings("admin.") == {"security.protocol": "SSL"}

    def test_the_nearer_prefix_wins(self) -> None:
        given = config(
            {
                "restore.consumer.fetch.min.bytes": 3,
                "consumer.fetch.min.bytes": 2,
                "fetch.min.bytes": 1,
            }
        )
        assert given.client_settings("consumer.", "restore.consumer.") == {"fetch.min.bytes": 3}
        assert given.client_settings("consumer.", "main.consumer.") == {"fetch.min.bytes": 2}

    def test_the_applications_own_settings_are_not_the_clients(self) -> None:
        assert (
            config({"bootstrap.servers": "a:1", "client.id": "b"}).client_settings("admin.") == {}
        )

    def test_topics_are_told_texts(self) -> None:
        given = config({"topic.segment.ms": 100, "topic_retention_ms": "-1"})
        assert given.topic_settings() == {"segment.ms": "100", "retention.ms": "-1"}

    def test_lists_become_what_kafka_reads(self) -> None:
        given = config({"ssl.cipher.suites": ["A", "B"]})
        assert given.client_settings("admin.") == {"ssl.cipher.suites": "A,B"}


class TestSources:
    def test_a_toml_file(self, tmp_path: Path) -> None:
        file = tmp_path / "app.toml"
        file.write_text(
            'application.id = "fraud"\npoll.ms = 5\n[consumer]\nfetch.min.bytes = 2\n'
            "[app]\nlimits.high = [1, 2]\n"
        )
        assert StreamsConfig.from_file(file).given() == {
            "application.id": "fraud",
            "poll.ms": 5,
            "consumer.fetch.min.bytes": 2,
            "app.limits.high": [1, 2],
        }

    def test_a_properties_file(self, tmp_path: Path) -> None:
        file = tmp_path / "app.properties"
        file.write_text("application.id=fraud\npoll.ms: 5\n")
        assert StreamsConfig.from_file(file).given() == {"application.id": "fraud", "poll.ms": 5}

    def test_a_fault_in_a_file_names_the_file(self, tmp_path: Path) -> None:
        file = tmp_path / "app.properties"
        file.write_text("application.id=fraud\npoll.ms=soon\n")
        with pytest.raises(ConfigError) as caught:
            StreamsConfig.from_file(file)
        assert str(caught.value) == (
            f"settings file '{file}': setting 'poll.ms' must be a whole number of at least 0; "
            "got 'soon'"
        )

    def test_the_environment_goes_before_what_it_is_laid_over(self) -> None:
        base = config({"poll.ms": 5, "app.limit": 1})
        variables = {"PENSTOCK_POLL_MS": "6", "PENSTOCK_CONSUMER_FETCH_MIN_BYTES": "2", "HOME": "/"}
        assert StreamsConfig.from_environment(base, variables).given() == {
            "application.id": "fraud",
            "poll.ms": 6,
            "app.limit": 1,
            "consumer.fetch.min.bytes": "2",
        }

    def test_penstocks_own_settings_need_no_second_prefix_in_the_environment(self) -> None:
        given = StreamsConfig.from_environment(config(), {"PENSTOCK_TURN_MS": "500"})
        assert given.turn_ms == 500

    def test_an_unknown_variable_is_named(self) -> None:
        with pytest.raises(ConfigError) as caught:
            StreamsConfig.from_environment(config(), {"PENSTOCK_POL_MS": "6"})
        assert str(caught.value) == (
            "environment variable PENSTOCK_POL_MS: setting 'pol_ms' is not known; did you mean "
            "'poll.ms'? (settings of your own start with 'app.')"
        )

    def test_handlers_of_the_users_own_are_imported(self) -> None:
        named = "penstock.handlers:LogAndContinueExceptionHandler"
        given = config({"deserialization.exception.handler": named})
        assert isinstance(given.handlers()[0], LogAndContinueExceptionHandler)


class TestShowing:
    def test_repr_shows_what_was_given(self) -> None:
        shown = repr(config({"poll.ms": "5", "producer.sasl.password": "hunter2"}))
        assert shown == (
            "StreamsConfig({'application.id': 'fraud', 'poll.ms': 5, "
            "'producer.sasl.password': '<hidden>'})"
        )

    def test_describe_shows_everything_but_secrets(self) -> None:
        lines = config({"app.api_key": "hunter2", "poll.ms": 5}).describe().splitlines()
        assert "application.id = fraud" in lines
        assert "poll.ms = 5" in lines
        assert "commit.interval.ms = 30000  (default)" in lines
        assert "app.api_key = <hidden>" in lines

    def test_the_processors_see_everything(self) -> None:
        seen = config({"app.limit": 1, "sasl.password": "x"}).as_mapping()
        assert (seen["app.limit"], seen["sasl.password"], seen["poll.ms"]) == (1, "x", 100)


JAVAS = "org.apache.kafka.streams.kstream.WindowedSerdes$"


@pytest.mark.parametrize("name", ["time_windowed", f"{JAVAS}TimeWindowedSerde"])
def test_a_serde_of_windowed_keys_is_made_of_settings(name: str) -> None:
    inner, size = "windowed.inner.class.serde", "window.size.ms"
    given = {"application.id": "app", "default.key.serde": name, inner: "string", size: "10"}
    config = StreamsConfig(given)
    assert config.required_key_serde("it") == serdes.time_windowed(serdes.string(), 10)
    again = StreamsConfig(config)
    assert again.required_key_serde("it") == config.required_key_serde("it")
    assert pickle.loads(pickle.dumps(config)).given() == config.given()
    for missing in (inner, size):
        with pytest.raises(ConfigError, match=f"needs the setting '{missing}' too"):
            StreamsConfig({key: value for key, value in given.items() if key != missing})


def test_sessions_need_no_size() -> None:
    given = {"application.id": "app", "default.value.serde": f"{JAVAS}SessionWindowedSerde"}
    config = StreamsConfig({**given, "windowed.inner.class.serde": serdes.long()})
    assert config.required_value_serde("it") == serdes.session_windowed(serdes.long())
