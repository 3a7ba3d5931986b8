"""The mistakes that newcomers make, and the whole message that each of them meets.

From the first line of a topology to the command line: every message must say what is wrong, where,
what was expected, what was got, and what to do. The rarer refusals of each part have files of their
own beside this one.

Long because it is a table: a mistake and its message.
"""

# mypy: ignore-errors
# Wrong on purpose: most of these programs do not pass a type checker either; see tests/typing.

from __future__ import annotations

import inspect
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from pyspark.errors.exceptions.captured import PythonException, SparkRuntimeException
from pyspark.sql import DataFrame, SparkSession

from penstock import (
    ConfigError,
    Consumed,
    JoinWindows,
    KafkaStreams,
    KStream,
    Materialized,
    ProcessingError,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    Repartitioned,
    SerializationError,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    StreamsConfig,
    StreamsError,
    Suppressed,
    TimeWindows,
    Topology,
    capacity,
    serdes,
)
from penstock._engine.spark.batch.tasks.bounded_task import WallClockError
from penstock._engine.state.files.file_lock import FileLock
from penstock.cli import main
from penstock.errors import StateClosedError, StateLockedError
from penstock.spark import backfill, run
from penstock.testing import TopologyTestDriver
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.refusals.wrong import Wrong, WrongPrograms

TEXT = serdes.string()
MISTAKES = WrongPrograms()
refused = MISTAKES.refused
RECORDS = "key string, value string, timestamp long"
ON_SPARK = WrongPrograms()
refused_on_spark = ON_SPARK.refused

HERE = "at topic 'words', partition 0, offset 0 in task 0_0"
UNREACHABLE = {
    "application.id": "shop",
    "bootstrap.servers": "127.0.0.1:1",
    "task.timeout.ms": 0,
}


@pytest.fixture(autouse=True)
def _without_the_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What is logged besides is no part of the message."""
    with caplog.at_level(logging.CRITICAL):
        yield


def words(builder: StreamsBuilder | None = None) -> KStream[str, str]:
    return (builder or StreamsBuilder()).stream("words", Consumed(key=TEXT, value=TEXT))


def copies() -> Topology:
    builder = StreamsBuilder()
    words(builder).to("copies", Produced(TEXT, TEXT))
    return builder.build()


def driver_of(builder: StreamsBuilder) -> TopologyTestDriver:
    """Return a driver under the defaults that most applications set."""
    defaults = {"default.key.serde": "string", "default.value.serde": "string"}
    return TopologyTestDriver(builder.build(), defaults)


def process_a_word(builder: StreamsBuilder, word: str = "word") -> None:
    with driver_of(builder) as driver:
        driver.create_input_topic("words", TEXT, TEXT).pipe_input("key", word)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.program.__name__)
def test_a_typical_mistake_is_explained(mistake: Wrong) -> None:
    mistake.check()


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("mistake", ON_SPARK, ids=lambda mistake: mistake.program.__name__)
def test_a_typical_mistake_with_dataframes_is_explained(mistake: Wrong) -> None:
    mistake.check()


def test_the_table_is_long_enough() -> None:
    assert len(MISTAKES) >= 40


# Building a topology


@refused(
    "filter's predicate must take (key, value); got the function <lambda>, which takes (value)"
)
def filter_by_the_value_alone() -> None:
    words().filter(lambda value: len(value) > 3)  # wrong


@refused(
    "map_values' mapper must take (value); got the function <lambda>, which takes (key, value); "
    "did you mean map_values_with_key?"
)
def map_values_with_the_key() -> None:
    words().map_values(lambda key, value: value)  # wrong


@refused(
    "map_values' mapper must be a function; got None; pass the function itself, without calling it"
)
def function_that_was_called_already() -> None:
    words().map_values(print())  # wrong


@refused(
    "map_values' mapper must be a plain function, since nobody awaits what it gives; got the async "
    "function fetch; write it with def"
)
def async_function() -> None:
    async def fetch(value: str) -> str:
        return value

    words().map_values(fetch)  # wrong


@refused("aggregate's initializer must be a function; got 0; write lambda: 0")
def number_for_an_initializer() -> None:
    words().group_by_key().aggregate(0, lambda key, value, total: total + 1)  # wrong


@refused(
    "aggregate's aggregator must take (key, value, aggregate); got the function <lambda>, which "
    "takes (total, value)"
)
def aggregator_like_functools_reduce() -> None:
    words().group_by_key().aggregate(int, lambda total, value: total + 1)  # wrong


@refused("count takes a Materialized; got 'counts'; write Materialized('counts')")
def name_of_a_store_alone() -> None:
    words().group_by_key().count("counts")  # wrong


@refused("to takes a Produced; got serdes.string(); write Produced(value=serdes.string())")
def serde_alone() -> None:
    words().to("copies", TEXT)  # wrong


@refused(
    "stream takes a Consumed; got serdes.string(), serdes.long(); write "
    "Consumed(key=serdes.string(), value=serdes.long())"
)
def serdes_one_by_one() -> None:
    StreamsBuilder().stream("words", TEXT, serdes.long())  # wrong


@refused(
    "table takes a Consumed; got serdes.string(), serdes.string(); write "
    "Consumed(key=serdes.string(), value=serdes.string())"
)
def serdes_one_by_one_for_a_table() -> None:
    StreamsBuilder().table("words", TEXT, TEXT)  # wrong


@refused(
    "to takes a Produced; got serdes.string(), serdes.long(); write Produced(key=serdes.string(), "
    "value=serdes.long())"
)
def serdes_one_by_one_for_a_sink() -> None:
    words().map_values(len).to("lengths", TEXT, serdes.long())  # wrong


@refused("stream takes a Consumed; got serdes.string(); write Consumed(key=serdes.string())")
def serde_by_a_keyword() -> None:
    StreamsBuilder().stream("words", key_serde=TEXT)  # wrong


@refused("value serde must be a Serde; got the class int; did you mean serdes.long()?")
def type_of_python_for_a_serde() -> None:
    StreamsBuilder().stream("words", Consumed(key=TEXT, value=int))  # wrong


@refused("key serde must be a Serde; got 'string'; did you mean serdes.string()?")
def name_for_a_serde() -> None:
    StreamsBuilder().stream("words", Consumed(key="string"))  # wrong


@refused("value serde must be a Serde; got the function json; did you mean serdes.json()?")
def serde_that_was_not_called() -> None:
    StreamsBuilder().stream("words", Consumed(key=TEXT, value=serdes.json))  # wrong


@refused("stream takes a Consumed; got Produced(key=None, value=None, partitioner=None, name=None)")
def option_of_a_sink_for_a_source() -> None:
    StreamsBuilder().stream("words", Produced())  # wrong


@refused(
    "KStream has no 'count'; group the stream first: group_by_key().count(...)", AttributeError
)
def count_of_a_stream_that_is_not_grouped() -> None:
    words().count()


@refused("KTable has no 'to'; write to_stream().to(...)", AttributeError)
def table_to_a_topic() -> None:
    StreamsBuilder().table("users").to("copies")


@refused("KStream has no 'branch'; write split().branch(...)", AttributeError)
def branch_of_old() -> None:
    words().branch(lambda key, value: True)


@refused("KStream has no 'mapValues'; in Python it is spelled 'map_values'", AttributeError)
def spelling_of_java() -> None:
    words().mapValues(str.upper)


@refused(
    "KGroupedStream has no 'map_values'; aggregate first, as with count(): map_values(...) is a "
    "verb of what comes of it",
    AttributeError,
)
def verb_of_a_stream_on_a_group() -> None:
    words().group_by_key().map_values(str.upper)


@refused(
    "every node must have a name of its own; got 'clean' again, the name of the node defined at "
    "{first}"
)
def name_given_twice() -> None:
    builder = StreamsBuilder()
    clean = words(builder).map_values(str.strip, named="clean")  # first
    clean.map_values(str.lower, named="clean")  # wrong
    builder.build()


@refused("a name must consist of ASCII letters, digits, '.', '_' and '-'; got 'to lower' with ' '")
def name_with_a_blank() -> None:
    words().map_values(str.lower, named="to lower")  # wrong


@refused(
    "topic 'words' is already read by source 'KSTREAM-SOURCE-0000000000'; a topic must have one "
    "source"
)
def topic_as_stream_and_table() -> None:
    builder = StreamsBuilder()
    words(builder).to("copies")
    builder.table("words")  # wrong
    builder.build()


@refused(
    "state store 'seen' of processor 'KSTREAM-PROCESSOR-0000000001' is not in the topology; known "
    "stores: none; add it with add_state_store first"
)
def store_that_was_not_added() -> None:
    builder = StreamsBuilder()
    words(builder).process(Counting, state_stores=["seen"])  # wrong
    builder.build()


@refused(
    "a processor supplier must make a new processor each time; got an object of class Counting; "
    "pass the class Counting"
)
def processor_instead_of_its_class() -> None:
    words().process(Counting())  # wrong


@refused(
    "join with a KStream takes (other, joiner, windows, joined); missing a required argument: "
    "'windows'"
)
def join_of_streams_without_windows() -> None:
    builder = StreamsBuilder()
    words(builder).join(builder.stream("others"), lambda left, right: left)  # wrong


@refused(
    "join of two streams takes JoinWindows; got datetime.timedelta(seconds=300); pass how far "
    "apart two records may be: JoinWindows.of_time_difference(...)"
)
def join_within_a_timedelta() -> None:
    builder = StreamsBuilder()
    others = builder.stream("others")
    words(builder).join(others, lambda left, right: left, timedelta(minutes=5))  # wrong


@refused(
    "join takes a stream or table of the same StreamsBuilder; got one of another builder; make "
    "both with one"
)
def table_of_another_builder() -> None:
    users = StreamsBuilder().table("users")
    words().join(users, lambda word, user: word)  # wrong


@refused(
    "topics that are joined must have the same number of partitions; 'left-repartition' has 2, "
    "'right-repartition' has 3; pass the same Repartitioned(partitions=...) for both"
)
def join_of_streams_with_other_partitions() -> None:
    builder = StreamsBuilder()
    left = words(builder).repartition(Repartitioned("left", partitions=2))
    right = builder.stream("others").repartition(Repartitioned("right", partitions=3))
    left.join(right, lambda one, other: one, JoinWindows.of_time_difference(5)).to("pairs")
    builder.build()  # wrong


@refused(
    "TimeWindows.of_size: size must be at least 1 ms; got 0; pass how long a window lasts, as in "
    "of_size(timedelta(minutes=5))"
)
def window_of_no_time() -> None:
    words().group_by_key().windowed_by(TimeWindows.of_size(0))  # wrong


@refused("TimeWindows.of_size: size must be a timedelta or whole milliseconds; got '5m'")
def window_in_words() -> None:
    TimeWindows.of_size("5m")  # wrong


@refused(
    "TimeWindows must be made by one of its methods; got "
    "TimeWindows(datetime.timedelta(seconds=60)); write TimeWindows.of_size(size, grace=..., "
    "advance=...)"
)
def time_windows_that_are_called() -> None:
    words().group_by_key().windowed_by(TimeWindows(timedelta(minutes=1)))  # wrong


@refused(
    "SlidingWindows must be made by one of its methods; got "
    "SlidingWindows(datetime.timedelta(seconds=60), datetime.timedelta(0)); write "
    "SlidingWindows.of_time_difference(difference, grace=...)"
)
def sliding_windows_that_are_called() -> None:
    SlidingWindows(timedelta(minutes=1), timedelta())  # wrong


@refused(
    "SessionWindows must be made by one of its methods; got SessionWindows(60000); write "
    "SessionWindows.of_inactivity_gap(gap, grace=...)"
)
def session_windows_that_are_called() -> None:
    SessionWindows(60_000)  # wrong


@refused(
    "JoinWindows must be made by one of its methods; got "
    "JoinWindows(difference=datetime.timedelta(seconds=300)); write "
    "JoinWindows.of_time_difference(difference, grace=...)"
)
def join_windows_that_are_called() -> None:
    JoinWindows(difference=timedelta(minutes=5))  # wrong


@refused(
    "windowed_by takes TimeWindows, SlidingWindows, SessionWindows or UnlimitedWindows; got "
    "datetime.timedelta(seconds=300); write TimeWindows.of_size(...)"
)
def windowed_by_a_timedelta() -> None:
    words().group_by_key().windowed_by(timedelta(minutes=5))  # wrong


@refused(
    "TimeWindows has no 'grace'; in Python it is spelled TimeWindows.of_size(size, grace=...)",
    AttributeError,
)
def grace_afterwards() -> None:
    TimeWindows.of_size(timedelta(minutes=5)).grace(timedelta(minutes=1))


@refused(
    "suppress(Suppressed.until_window_closes()) must stand below a windowed aggregation; got "
    "KSTREAM-SOURCE-0000000000 -> KSTREAM-AGGREGATE-0000000002; use windowed_by(...) before it, or "
    "Suppressed.until_time_limit(...)"
)
def final_results_without_windows() -> None:
    builder = StreamsBuilder()
    counts = words(builder).group_by_key().count()
    counts.suppress(Suppressed.until_window_closes())  # wrong
    builder.build()


# Settings


@refused(
    "setting 'aplication.id' is not known; did you mean 'application.id'? (settings of your own "
    "start with 'app.')",
    ConfigError,
)
def misspelled_setting() -> None:
    StreamsConfig({"aplication.id": "shop"})


@refused("setting 'application.id' must be given; it names the application", ConfigError)
def no_application_id() -> None:
    KafkaStreams(copies(), {"bootstrap.servers": "localhost:9092"})


@refused(
    "setting 'application.id' must be made of letters, digits, '.', '_' and '-', at most 200, "
    "since topics are named after it; got 'my shop'",
    ConfigError,
)
def application_id_with_a_blank() -> None:
    StreamsConfig({"application.id": "my shop"})


@refused("settings must be a dict, such as {'application.id': 'orders'}; got 'shop'", ConfigError)
def name_for_the_settings() -> None:
    KafkaStreams(copies(), "shop")


@refused(
    "setting 'num.stream.threads' must be a whole number of at least 1; got 'two'", ConfigError
)
def number_in_words() -> None:
    StreamsConfig({"application.id": "shop", "num.stream.threads": "two"})


@refused(
    "setting 'statestore.cache.max.bytes' must be a whole number of at least 0; got '10MB'",
    ConfigError,
)
def size_with_a_unit() -> None:
    StreamsConfig({"application.id": "shop", "statestore.cache.max.bytes": "10MB"})


@refused(
    "setting 'bootstrap.servers' must be 'host:port', several with commas; got 'localhost'; the "
    "port is missing: Kafka's is mostly 9092",
    ConfigError,
)
def server_without_a_port() -> None:
    StreamsConfig({"application.id": "shop", "bootstrap.servers": "localhost"})


@refused(
    "setting 'bootstrap.servers' must be 'host:port', several with commas, without 'http://'; got "
    "'http://localhost:9092'",
    ConfigError,
)
def server_as_a_web_address() -> None:
    StreamsConfig({"application.id": "shop", "bootstrap.servers": "http://localhost:9092"})


@refused(
    "setting 'processing.guarantee' must be 'at_least_once' or 'exactly_once_v2'; got "
    "'exactly_once': it was removed in Kafka Streams 4.0; 'exactly_once_v2' gives the same "
    "guarantee with fewer producers",
    ConfigError,
)
def guarantee_of_old() -> None:
    StreamsConfig({"application.id": "shop", "processing.guarantee": "exactly_once"})


@refused(
    "setting 'auto.offset.reset' must be 'earliest' or 'latest' or 'none'; got 'begin'", ConfigError
)
def unknown_offset_reset() -> None:
    StreamsConfig({"application.id": "shop", "auto.offset.reset": "begin"})


@refused(
    "setting 'security.protocol' must be 'PLAINTEXT' or 'SSL' or 'SASL_PLAINTEXT' or 'SASL_SSL'; "
    "got 'TLS'",
    ConfigError,
)
def unknown_security_protocol() -> None:
    StreamsConfig({"application.id": "shop", "security.protocol": "TLS"})


@refused(
    "setting 'consumer.sasl.mechanism' must be 'PLAIN' or 'SCRAM-SHA-256' or 'SCRAM-SHA-512' or "
    "'OAUTHBEARER' or 'GSSAPI'; got 'plain'",
    ConfigError,
)
def unknown_mechanism_of_sasl() -> None:
    StreamsConfig({"application.id": "shop", "consumer.sasl.mechanism": "plain"})


@refused(
    "setting 'poll.ms' must be given once; got it dotted and in snake_case; leave one out",
    ConfigError,
)
def setting_in_both_spellings() -> None:
    StreamsConfig({"application.id": "shop", "poll.ms": 5, "poll_ms": 7})


@refused(
    "setting 'spark.executor.memory' is one of Spark's; give it to the session: "
    "SparkSession.builder.config('spark.executor.memory', ...), and that to "
    "KafkaStreams(spark=...)",
    ConfigError,
)
def setting_of_spark() -> None:
    StreamsConfig({"application.id": "shop", "spark.executor.memory": "4g"})


@refused(
    "setting 'rocksdb.config.setter' must be a function of a store's name and its RocksDB settings "
    "or 'module:name' of one; got 'com.example.Setter'",
    ConfigError,
)
def class_of_java() -> None:
    StreamsConfig({"application.id": "shop", "rocksdb.config.setter": "com.example.Setter"})


@refused(
    "setting 'topology.optimization' is 'all', but the topology was built without "
    "merge.repartition.topics, reuse.ktable.source.topics, single.store.self.join; pass the "
    "settings to the builder too: builder.build(settings)",
    ConfigError,
)
def optimization_that_comes_too_late() -> None:
    KafkaStreams(copies(), {**UNREACHABLE, "topology.optimization": "all"}).start()


# Starting


@refused(
    "KafkaStreams takes a Topology; got an object of class StreamsBuilder; did you forget "
    "builder.build()?"
)
def builder_instead_of_a_topology() -> None:
    KafkaStreams(StreamsBuilder(), {"application.id": "shop"})  # wrong


@refused(
    "the application has not been started; call start() before wait_until_running()", StreamsError
)
def waiting_for_what_was_not_started() -> None:
    KafkaStreams(copies(), {"application.id": "shop"}).wait_until_running()


@refused(
    "the topology reads nothing: it must have a stream, a table or a global table; was it built "
    "before they were added? call builder.build() last"
)
def topology_that_was_built_too_early() -> None:
    builder = StreamsBuilder()
    topology = builder.build()
    words(builder).to("copies")
    KafkaStreams(topology, UNREACHABLE).start()  # wrong


@refused(
    "the Kafka cluster at 127.0.0.1:1 does not answer: 127.0.0.1:1/bootstrap: Connect to "
    "ipv4#127.0.0.1:1 failed: Connection refused; is it up, is 'bootstrap.servers' right, and does "
    "'security.protocol' fit its listener?",
    StreamsError,
)
def cluster_that_is_not_there() -> None:
    KafkaStreams(copies(), UNREACHABLE).start()


@refused(
    "an application can be started once; this is NOT_RUNNING; make a new one",
    StreamsError,
)
def start_after_close() -> None:
    streams = KafkaStreams(copies(), {"application.id": "shop"})
    streams.close()
    streams.start()


@refused("the application has not been started; call start() or run() first", StreamsError)
def pause_before_start() -> None:
    KafkaStreams(copies(), {"application.id": "shop"}).pause()


def test_state_that_another_process_holds(tmp_path: Path) -> None:
    task = tmp_path / "shop" / "0_0"
    held = FileLock.take(task / ".lock")
    assert held is not None
    streams = KafkaStreams(copies(), {**UNREACHABLE, "state.dir": str(tmp_path)})
    with pytest.raises(StateLockedError) as caught:
        streams.clean_up()
    held.release()
    assert str(caught.value) == (
        f"task 0_0 of application 'shop' cannot be cleaned up: {task} is held by process "
        f"{os.getpid()} on host {socket.gethostname()!r}; stop that process, or use another "
        "'state.dir'"
    )


# Running


@refused(
    "sink 'KSTREAM-SINK-0000000002' (defined at {first}) has no value serde; pass "
    "Produced(value=...), or set 'default.value.serde'",
    ConfigError,
)
def forgotten_serde_of_a_sink() -> None:
    builder = StreamsBuilder()
    words(builder).map_values(len).to("lengths", Produced(key=TEXT))  # first
    TopologyTestDriver(builder.build())


@refused(
    "state store 'totals' (defined at {first}) has no value serde; pass Materialized(value=...), "
    "or set 'default.value.serde'",
    ConfigError,
)
def forgotten_serde_of_a_store() -> None:
    builder = StreamsBuilder()
    grouped = words(builder).group_by_key()
    totals = Materialized("totals")
    grouped.aggregate(int, lambda key, value, total: total + 1, totals)  # first
    TopologyTestDriver(builder.build())


@refused("state store 'counts', in memory, was used after it was closed", StateClosedError)
def store_of_a_driver_that_is_closed() -> None:
    builder = StreamsBuilder()
    words(builder).group_by_key().count(Materialized("counts"))
    settings = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with TopologyTestDriver(builder.build(), settings) as driver:
        counts = driver.get_key_value_store("counts")
    counts.get("ada")


@refused(
    "processor 'KSTREAM-AGGREGATE-0000000001' (defined at {first}) failed on the record "
    + HERE
    + ": "
    "state store 'totals' has a value serde that does not fit: got int 1; serdes.string() writes "
    "str; got int; pass the right one: Materialized(value=...), or set 'default.value.serde'",
    ProcessingError,
)
def default_serde_that_does_not_fit() -> None:
    builder = StreamsBuilder()
    grouped = words(builder).group_by_key()
    totals = Materialized("totals")
    grouped.aggregate(int, lambda key, value, total: total + 1, totals)  # first
    process_a_word(builder)


@refused(
    "sink 'KSTREAM-SINK-0000000002' (defined at {wrong}) writes to topic 'lengths' with a value "
    "serde that does not fit: got int 4 " + HERE + "; serdes.string() writes str; got int; pass "
    "the right one: to(..., Produced(value=...)), or set 'default.value.serde'",
    ProcessingError,
)
def sink_that_still_writes_text() -> None:
    builder = StreamsBuilder()
    lengths = words(builder).map_values(len)
    lengths.to("lengths")  # wrong
    process_a_word(builder)


@refused(
    "processor 'KSTREAM-MAPVALUES-0000000001' (defined at {first}) failed on the record "
    + HERE
    + ": "
    "KeyError: 'word' (at {wrong})",
    ProcessingError,
)
def exception_in_a_function() -> None:
    prices = {"book": 5}

    def price(word: str) -> int:
        return prices[word]  # wrong

    builder = StreamsBuilder()
    words(builder).map_values(price)  # first
    process_a_word(builder)


@refused(
    "processor 'KSTREAM-MAP-0000000001' (defined at {first}) failed on the record "
    + HERE
    + ": map's "
    "mapper must give a (key, value) pair; got 'WORD'",
    ProcessingError,
)
def map_that_gives_a_value_alone() -> None:
    builder = StreamsBuilder()
    words(builder).map(lambda key, value: value.upper())  # first
    process_a_word(builder)


@refused(
    "processor 'KSTREAM-FLATMAPVALUES-0000000001' (defined at {first}) failed on the record "
    + HERE
    + ": flat_map_values' mapper must give several values, or none in an empty list; got 4",
    ProcessingError,
)
def flat_map_that_gives_one() -> None:
    builder = StreamsBuilder()
    words(builder).flat_map_values(len)  # first
    process_a_word(builder)


@refused(
    "source 'KSTREAM-SOURCE-0000000000' (defined at {first}) cannot read the record "
    + HERE
    + ": cannot "
    "read JSON as a value: JSON is malformed: invalid character (byte 0); data: b'word'; to skip "
    "such records set 'deserialization.exception.handler' to LogAndContinueExceptionHandler",
    ProcessingError,
)
def record_that_is_no_json() -> None:
    builder = StreamsBuilder()
    builder.stream("words", Consumed(TEXT, serdes.json())).to("copies")  # first
    process_a_word(builder)


class Counting(Processor[str, str, str, str]):
    """Counts in a store that it was not given."""

    def process(self, record: Record[str, str]) -> None:
        self.context.get_state_store("counts").put(record.key, "1")


COUNTING_LINE = f"{__file__}:{Counting.process.__code__.co_firstlineno + 1}"


@refused(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {first}) failed on the record "
    + HERE
    + ": "
    "state store 'counts' is not connected to processor 'KSTREAM-PROCESSOR-0000000001'; connected "
    "stores: none; pass it to process(..., state_stores=['counts']) or "
    f"connect_processor_and_state_stores (at {COUNTING_LINE})",
    ProcessingError,
)
def store_that_is_not_connected() -> None:
    builder = StreamsBuilder()
    words(builder).process(Counting)  # first
    process_a_word(builder)


# Testing


@refused(
    "TopologyTestDriver takes a Topology; got an object of class StreamsBuilder; did you forget "
    "builder.build()?"
)
def driver_of_a_builder() -> None:
    TopologyTestDriver(StreamsBuilder())  # wrong


@refused("topic 'word' is no input of the topology; its inputs: 'words'", ValueError)
def pipe_into_an_unknown_topic() -> None:
    with TopologyTestDriver(copies()) as driver:
        driver.create_input_topic("word", TEXT, TEXT).pipe_input("key", "value")


@refused(
    "the value of a record for topic 'words' must fit serdes.string(); got dict {'id': 5}",
    TypeError,
)
def pipe_what_the_serde_does_not_write() -> None:
    with TopologyTestDriver(copies()) as driver:
        driver.create_input_topic("words", TEXT, TEXT).pipe_input("key", {"id": 5})


@refused(
    "a timestamp must be whole milliseconds; got datetime.datetime(2026, 1, 31, 0, 0, "
    "tzinfo=datetime.timezone.utc); write int(moment.timestamp() * 1000)",
    TypeError,
)
def pipe_at_a_datetime() -> None:
    moment = datetime(2026, 1, 31, tzinfo=UTC)
    with TopologyTestDriver(copies()) as driver:
        driver.create_input_topic("words", TEXT, TEXT).pipe_input("key", "v", timestamp=moment)


def piped(driver: TopologyTestDriver) -> TopologyTestDriver:
    driver.create_input_topic("words", TEXT, TEXT).pipe_input("key", "value")
    return driver


@refused("topic 'copy' is not written to yet; topics written to: 'copies'", LookupError)
def read_an_unknown_topic() -> None:
    with TopologyTestDriver(copies()) as driver:
        piped(driver).create_output_topic("copy", TEXT, TEXT).read_value()


@refused("topic 'copies' is empty: all of its records have been read", LookupError)
def read_once_too_often() -> None:
    with TopologyTestDriver(copies()) as driver:
        output = piped(driver).create_output_topic("copies", TEXT, TEXT)
        output.read_value()
        output.read_value()


@refused(
    "the value of a record of topic 'copies' cannot be read with serdes.long(): cannot read long: "
    "expected 8 bytes, got 5: 76 61 6c 75 65; was the topic written as long?",
    SerializationError,
)
def read_with_another_serde() -> None:
    with TopologyTestDriver(copies()) as driver:
        piped(driver).create_output_topic("copies", TEXT, serdes.long()).read_value()


@refused(
    "the driver is closed; pipe and advance before close(), inside its with block", StreamsError
)
def pipe_after_close() -> None:
    with TopologyTestDriver(copies()) as driver:
        pass
    piped(driver)


# Capacity


@refused("keys must not be negative; got -5", ValueError)
def capacity_of_a_negative_number() -> None:
    capacity.table_state(keys=-5, key_bytes=20, value_bytes=100)


@refused("workers must be above 0; got 0", ValueError)
def capacity_without_workers() -> None:
    capacity.restore(keys=1000, partitions=4, workers=0)


# Commands

USAGE = "usage: penstock [-h] [--version] COMMAND ...\n"
RUN_USAGE = (
    "usage: penstock run [-h] [--bootstrap-servers HOST:PORT] [--settings FILE] [--set KEY=VALUE] "
    "[--available-now] [--quiet] [--console] [--timings] [--dev | --spark-log LEVEL] program "
    "[arguments ...]\n"
)
COMMANDS = (
    "init, run, backfill, describe, plan, config, topics, produce, consume, query, top, reset, "
    "resume, capacity, doctor, pack, jvm-options, broker, demo, completion"
)
BUILDER = (
    "from penstock import StreamsBuilder\n{0} = StreamsBuilder()\n{0}.stream('in').to('out')\n"
)
PROGRAMS = {
    "app.py": BUILDER.format("builder"),
    "two.py": BUILDER.format("one") + BUILDER.format("two"),
    "hidden.py": "def main():\n    from penstock import StreamsBuilder\n",
    "typo.py": BUILDER.format("builder") + "builder.strem('in')\n",
    "parser.py": "import argparse\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--region', required=True)\nprint(parser.parse_args())\n",
    "unknown.py": "import pandsa\n",
    "unclosed.py": "print((1)\n",
    "wrong.py": BUILDER.format("builder") + "builder.stream('x').filter(lambda value: value)\n",
}


LINES: list[tuple[str, int, str]] = [
    (
        "rum app.py",
        2,
        f"{USAGE}penstock: error: there is no command 'rum'; did you mean 'run'? commands: "
        f"{COMMANDS}\n",
    ),
    (
        "app.py",
        2,
        f"{USAGE}penstock: error: there is no command 'app.py'; did you mean 'penstock run "
        f"app.py'? commands: {COMMANDS}\n",
    ),
    (
        "help",
        2,
        f"{USAGE}penstock: error: there is no command 'help'; write penstock --help, or penstock "
        f"COMMAND --help; commands: {COMMANDS}\n",
    ),
    (
        "run app.py --region eu",
        2,
        f"{RUN_USAGE}penstock run: error: unrecognized arguments: --region eu; what is meant for "
        "the program comes last, after --\n",
    ),
    (
        "describe parser.py",
        1,
        "usage: parser.py [-h] --region REGION\nparser.py: error: the following arguments are "
        "required: --region\npenstock: parser.py ended, with exit code 2, before it made a "
        "KafkaStreams; if it needs arguments, give them at the end of the line, after --\n",
    ),
    ("run ap.py", 1, "penstock: there is no program 'ap.py' in {folder}\n"),
    ("run .", 1, "penstock: a program must be a Python file; '.' is a folder\n"),
    (
        "run hidden.py",
        1,
        "penstock: hidden.py must define one Topology or StreamsBuilder at its top level, or "
        "make a KafkaStreams; found none; if a function makes it, call it at the top level: "
        "builder = make_it()\n",
    ),
    (
        "describe two.py",
        1,
        "penstock: two.py must define one Topology or StreamsBuilder at its top level; found "
        "one, two; name the one you mean: two.py:one\n",
    ),
    (
        "describe app.py:topology",
        1,
        "penstock: app.py has no Topology or StreamsBuilder called 'topology' at its top "
        "level; it has: builder\n",
    ),
    (
        "describe typo.py",
        1,
        "penstock: typo.py failed: AttributeError: StreamsBuilder has no 'strem'; did you mean "
        "'stream'? (at typo.py:4)\n\nTraceback (most recent call last):\n"
        "  File \"typo.py\", line 4, in <module>\n    builder.strem('in')\n"
        "AttributeError: StreamsBuilder has no 'strem'; did you mean 'stream'?\n",
    ),
    (
        "run unknown.py",
        1,
        "penstock: unknown.py failed: ModuleNotFoundError: No module named 'pandsa' (at "
        "unknown.py:1)\n\nTraceback (most recent call last):\n"
        '  File "unknown.py", line 1, in <module>\n    import pandsa\n'
        "ModuleNotFoundError: No module named 'pandsa'\n",
    ),
    (
        "run unclosed.py",
        1,
        "penstock: unclosed.py failed: SyntaxError: '(' was never closed (unclosed.py, line 1)"
        '\n\n  File "unclosed.py", line 1\n    print((1)\n         ^\n'
        "SyntaxError: '(' was never closed\n",
    ),
    (
        "plan wrong.py",
        1,
        "penstock: filter's predicate must take (key, value); got the function <lambda>, which "
        "takes (value) (at wrong.py:4)\n",
    ),
    (
        "plan app.py --set num.stream.thread=4",
        1,
        "penstock: setting 'num.stream.thread' is not known; did you mean "
        "'num.stream.threads'? (settings of your own start with 'app.')\n",
    ),
    (
        "run app.py --settings prod.toml",
        1,
        "penstock: settings file 'prod.toml' cannot be read: No such file or directory\n",
    ),
    (
        "topics app.py --bootstrap-servers 127.0.0.1:1 --set task.timeout.ms=0",
        1,
        "using the cluster at 127.0.0.1:1, named by the command line\n"
        "penstock: the Kafka cluster at 127.0.0.1:1 does not answer: 127.0.0.1:1/bootstrap: "
        "Connect to ipv4#127.0.0.1:1 failed: Connection refused; is it up, is "
        "'bootstrap.servers' right, and does 'security.protocol' fit its listener?\n",
    ),
    (
        "backfill app.py --bootstrap-servers kafka",
        1,
        "penstock: setting 'bootstrap.servers' must be 'host:port', several with commas; got "
        "'kafka'; the port is missing: Kafka's is mostly 9092\n",
    ),
    (
        "reset",
        1,
        "penstock: reset needs a program, penstock reset app.py, or --application-id ID\n",
    ),
    ("capacity table --keys -5", 1, "penstock: keys must not be negative; got -5\n"),
]


@dataclass(frozen=True)
class Shell:
    """Calls commands in a folder that has the programs."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def call(self, line: str) -> tuple[int, str]:
        """Return the exit code and what was written to standard error."""
        try:
            code = main(line.split())
        except SystemExit as ended:  # as argparse ends
            code = ended.code
        return code, self.capsys.readouterr().err.replace(str(self.folder), "{folder}")


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", sys.path.copy())
    return Shell(tmp_path, capsys)


@pytest.mark.parametrize(("line", "code", "message"), LINES, ids=[line for line, _, _ in LINES])
def test_a_typical_mistake_on_the_command_line_is_explained(
    line: str, code: int, message: str, shell: Shell
) -> None:
    assert shell.call(line) == (code, message)


def test_no_java(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(shell.folder / "jdk"))
    assert shell.call("run app.py --quiet") == (
        1,
        "penstock: there is no Java in JAVA_HOME: {folder}/jdk/bin/java is missing; correct it or "
        "unset it\n",
    )


# On Spark


def frame(rows: list[tuple[object, ...]], columns: str) -> DataFrame:
    return SparkSession.builder.getOrCreate().createDataFrame(rows, columns)


def some_words() -> DataFrame:
    return frame([("key", "word", 5)], RECORDS)


@refused_on_spark(
    "input 'words' must have the columns 'key', 'value' and 'timestamp'; it has no 'key', its "
    "columns are 'word', 'timestamp'; rename one, for example frame.withColumnRenamed(..., 'key')",
    StreamsError,
)
def frame_without_a_column() -> None:
    run(copies(), {"words": frame([], "word string, timestamp long")})


@refused_on_spark(
    "input 'words': column 'timestamp' must be timestamp, or bigint milliseconds; got string",
    StreamsError,
)
def frame_with_times_as_text() -> None:
    run(copies(), {"words": frame([], "key string, value string, timestamp string")})


@refused_on_spark(
    "[USER_RAISED_EXCEPTION] input 'words': column 'timestamp' must not be null; records without a "
    "time cannot be put in order; fill it, or leave them out: frame.where('timestamp is not null') "
    "SQLSTATE: P0001",
    SparkRuntimeException,
)
def frame_with_a_record_without_a_time() -> None:
    undated = frame([("key", "word", None)], RECORDS)
    run(copies(), {"words": undated}, partitions=1)["copies"].collect()


@refused_on_spark(
    "the topology reads 'words', which the inputs do not have; pass a DataFrame for each topic: "
    "inputs={'words': frame, ...}",
    StreamsError,
)
def frame_for_another_topic() -> None:
    run(copies(), {"word": some_words()})


@refused_on_spark(
    "partitions has 'word', which the topology neither reads nor writes; its topics are 'copies', "
    "'words'; correct the name, or leave it out",
    StreamsError,
)
def partitions_of_another_topic() -> None:
    run(copies(), {"words": some_words()}, partitions={"word": 3, "copies": 2})


@refused_on_spark(
    "settings must be a dict, such as {'application.id': 'orders'}; got 'shop'", ConfigError
)
def run_with_a_name() -> None:
    run(copies(), {"words": some_words()}, "shop")


class Ticking(Processor[str, str, str, str]):
    """Asks for a timer that a run over DataFrames has no clock for."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        context.schedule(1000, PunctuationType.WALL_CLOCK_TIME, lambda now_ms: None)

    def process(self, record: Record[str, str]) -> None:
        """Take it."""


@refused_on_spark(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {first}) schedules a timer of the wall "
    "clock, which stands still in a bounded run: it would never fire; use "
    "PunctuationType.STREAM_TIME, or run the topology live with KafkaStreams",
    WallClockError,
)
def timer_of_the_wall_clock() -> None:
    builder = StreamsBuilder()
    words(builder).process(Ticking)  # first
    run(builder.build(), {"words": some_words()})


@refused_on_spark(
    "node 'KSTREAM-MAPVALUES-0000000001' (defined at {first}) cannot be shipped to Spark's "
    "workers: the function guarded holds something that cannot be pickled (cannot pickle "
    "'_thread.lock' object); make it where it is used, for example in Processor.init"
)
def function_that_holds_a_lock() -> None:
    lock = threading.Lock()

    def guarded(value: str) -> str:
        with lock:
            return value

    builder = StreamsBuilder()
    words(builder).map_values(guarded).to("copies", Produced(TEXT, TEXT))  # first
    run(builder.build(), {"words": some_words()})  # wrong


@refused_on_spark(
    "the Kafka cluster at 127.0.0.1:1 does not answer: 127.0.0.1:1/bootstrap: Connect to "
    "ipv4#127.0.0.1:1 failed: Connection refused; is it up, is 'bootstrap.servers' right, and does "
    "'security.protocol' fit its listener?",
    StreamsError,
)
def backfill_of_a_cluster_that_is_not_there() -> None:
    backfill(copies(), UNREACHABLE)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_an_exception_in_a_function_over_dataframes_shows_no_lines_of_ours() -> None:
    builder = StreamsBuilder()
    words(builder).map_values(lambda value: value["id"]).to("ids", Produced(TEXT, TEXT))
    with pytest.raises(PythonException) as caught:
        run(builder.build(), {"words": some_words()}, partitions=1)["ids"].collect()
    told = str(caught.value)
    assert f"failed on the record {HERE}: TypeError: string indices must be integers" in told
    assert "/penstock/_engine/runtime/" not in told


# On a cluster


def cluster(broker: LocalBroker, **settings: object) -> dict[str, object]:
    servers = broker.bootstrap_servers
    return {"application.id": "shop", "bootstrap.servers": servers, **settings}


@pytest.mark.slow
def test_a_topic_that_is_missing(kafka_broker: LocalBroker) -> None:
    builder = StreamsBuilder()
    builder.stream("orders-2", Consumed(TEXT, TEXT)).to("copies")
    line = f"{__file__}:{inspect.currentframe().f_lineno - 1}"
    with pytest.raises(StreamsError) as caught:
        KafkaStreams(builder.build(), cluster(kafka_broker)).start()
    assert str(caught.value) == (
        "source topics must exist before the application starts; missing: 'orders-2', read by "
        f"source 'KSTREAM-SOURCE-0000000000' (defined at {line}); create them with as many "
        "partitions as there shall be tasks: penstock topics APP --create --partitions N; or "
        "correct the names"
    )


@pytest.mark.slow
def test_topics_that_are_not_copartitioned(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    left, right = kafka_topic("left", partitions=2), kafka_topic("right", partitions=3)
    builder = StreamsBuilder()
    users = builder.table(right, Consumed(TEXT, TEXT))
    builder.stream(left, Consumed(TEXT, TEXT)).join(users, lambda one, other: one).to("pairs")
    with pytest.raises(StreamsError) as caught:
        KafkaStreams(builder.build(), cluster(kafka_broker)).start()
    assert str(caught.value) == (
        f"topics that are joined must have the same number of partitions; {left!r} has 2, "
        f"{right!r} has 3; repartition one of the streams: "
        "stream.repartition(Repartitioned(partitions=...))"
    )


@pytest.mark.slow
def test_reset_while_it_runs(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, shell: Shell
) -> None:
    settings = {"bootstrap.servers": kafka_broker.bootstrap_servers, "group.id": "app"}
    member = Consumer({**settings, "client.id": "app-1"})
    member.subscribe([kafka_topic("in")])
    while not member.assignment():
        member.poll(0.1)
    servers = kafka_broker.bootstrap_servers
    told = shell.call(f"reset app.py --yes --bootstrap-servers {servers}")
    code, looked = shell.call(f"reset app.py --dry-run --bootstrap-servers {servers}")
    member.close()
    assert code == 0
    line = f"using the cluster at {servers}, named by the command line\n"
    assert looked.startswith(f"{line}note: app runs now; stop it before it is reset\n")
    assert told == (
        1,
        f"{line}penstock: application 'app' must not run while it is reset; its group has 1 "
        "member: app-1 on 127.0.0.1; stop all instances; of one that crashed, members stay until "
        "session.timeout.ms (45 s unless set) is over: wait for them with --wait 60\n",
    )


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_a_record_that_is_too_large(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, small = kafka_topic("in"), kafka_topic("small", config={"max.message.bytes": "1000"})
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    producer.produce(source, "x" * 2000)
    producer.flush()
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).to(small, Produced(TEXT, TEXT))
    settings = cluster(kafka_broker, **{"state.dir": str(tmp_path)})
    with pytest.raises(StreamsError) as caught:
        KafkaStreams(builder.build(), settings).run(available_now=True, quiet=True)
    told = str(caught.value)
    assert told.startswith("sink 'KSTREAM-SINK-0000000001' (defined at ")
    assert told.endswith(
        f" cannot write a record at topic {source!r}, partition 0, offset 0 in task 0_0: a record "
        f"for topic {small!r} could not be written: it is too large: 2036 bytes, and the topic "
        "takes 1000; raise its 'max.message.bytes'; to skip such records set "
        "'production.exception.handler' to one that answers Response.resume()"
    )
