"""Wrong programs are refused where they are written, with a message that says what to do.

Each program is wrong in the line marked `# wrong`; a TopologyError ends with that line of this
file. Where a message names an earlier line too, that one is marked `# first`.

Long because it is a table: a program and its message for each mistake that users make.
"""

# mypy: ignore-errors
# Wrong on purpose: most of these programs do not pass a type checker either; see tests/typing.

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock import (
    Branched,
    ConfigError,
    Consumed,
    FixedKeyProcessor,
    KStream,
    Materialized,
    Named,
    Printed,
    Processor,
    Produced,
    Repartitioned,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    StreamsError,
    Topology,
    serdes,
)
from penstock.dsl.options import UnknownBranch
from penstock.handlers import LogAndContinueExceptionHandler
from penstock.testing import MockProcessorContext, TestRecord, TopologyTestDriver
from penstock.timestamps import WallclockTimestampExtractor
from tests.refusals.wrong import Wrong, WrongPrograms

TEXT = serdes.string()


class Echo(Processor):
    def process(self, record: Any) -> None:
        self.context.forward(record)


class EchoValues(FixedKeyProcessor):
    def process(self, record: Any) -> None:
        self.context.forward(record)


def anything(key: object, value: object) -> bool:
    return True


THE_ONLY_ECHO = Echo()
COUNTS = Stores.in_memory_key_value_store("counts", key=TEXT, value=serdes.long())


def words() -> KStream[str, str]:
    return StreamsBuilder().stream("words", Consumed(key=TEXT, value=TEXT))


def echo_topology() -> Topology:
    return Topology().add_source("source", "words").add_processor("echo", Echo, "source")


def echo_driver(**config: Any) -> TopologyTestDriver:
    builder = StreamsBuilder()
    builder.stream("words").to("echoes")
    return TopologyTestDriver(builder.build(), {"default.key.serde": TEXT, **config})


WRONG = WrongPrograms()
refused = WRONG.refused


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.program.__name__)
def test_a_wrong_program_is_refused_at_its_line(wrong: Wrong) -> None:
    wrong.check()


def test_there_are_many_of_them_and_none_is_like_another() -> None:
    names = [wrong.program.__name__ for wrong in WRONG]
    assert len(names) >= 35
    assert len(set(names)) == len(names)


# Functions


@refused(
    "filter's predicate must be a function; got None; pass the function itself, without calling it"
)
def filter_without_a_predicate() -> None:
    words().filter(None)  # wrong


@refused("filter_not's predicate must be a function; got True")
def filter_not_by_a_value() -> None:
    words().filter_not(True)  # wrong


@refused("map's mapper must be a function; got ('a', 'b')")
def map_to_a_pair() -> None:
    words().map(("a", "b"))  # wrong


@refused(
    "map_values' mapper must be a function; got None; pass the function itself, without calling it"
)
def map_values_without_a_mapper() -> None:
    words().map_values(None)  # wrong


@refused(
    "map_values_with_key's mapper must be a function; got None; pass the function itself, without "
    "calling it"
)
def map_values_with_key_without_a_mapper() -> None:
    words().map_values_with_key(None)  # wrong


@refused(
    "flat_map's mapper must be a function; got None; pass the function itself, without calling it"
)
def flat_map_without_a_mapper() -> None:
    words().flat_map(None)  # wrong


@refused(
    "flat_map_values' mapper must be a function; got None; pass the function itself, without "
    "calling it"
)
def flat_map_values_without_a_mapper() -> None:
    words().flat_map_values(None)  # wrong


@refused(
    "flat_map_values_with_key's mapper must be a function; got None; pass the function itself, "
    "without calling it"
)
def flat_map_values_with_key_without_a_mapper() -> None:
    words().flat_map_values_with_key(None)  # wrong


@refused("select_key's mapper must be a function; got 'user'")
def select_key_by_a_field_name() -> None:
    words().select_key("user")  # wrong


@refused("peek's action must be a function; got None; pass the function itself, without calling it")
def peek_with_the_result_of_a_call() -> None:
    words().peek(print("seen", end=""))  # wrong


@refused(
    "for_each's action must be a function; got None; pass the function itself, without calling it"
)
def for_each_without_an_action() -> None:
    words().for_each(None)  # wrong


@refused(
    "branch's predicate must be a function; got None; pass the function itself, without calling it"
)
def branch_without_a_predicate() -> None:
    words().split().branch(None)  # wrong


def letters(word: str) -> Any:
    yield from word


@refused(
    "map_values' mapper must be a plain function; got the generator function letters, which does "
    "nothing but make an iterator when it is called; use flat_map_values, whose function may yield "
    "several"
)
def map_values_with_a_generator() -> None:
    words().map_values(letters)  # wrong


@refused(
    "reduce's reducer must be a plain function; got the generator function total, which does "
    "nothing but make an iterator when it is called; return a value"
)
def reduce_with_a_generator() -> None:
    def total(aggregate: str, value: str) -> Any:
        yield aggregate + value

    words().group_by_key().reduce(total)  # wrong


@refused(
    "there is no branch 'long': the name of a branch is that of its split, here 'by-size-', and "
    "its own; there are: 'by-size-long', 'by-size-0'",
    UnknownBranch,
)
def branch_by_its_own_name_alone() -> None:
    split = words().split(named="by-size-").branch(anything, Branched(name="long"))
    split.default_branch()["long"]


@refused(
    "map_values' mapper must take (value); got the function <lambda>, which takes (key, value); "
    "did you mean map_values_with_key?"
)
def map_values_with_a_function_of_key_and_value() -> None:
    words().map_values(lambda key, value: value)  # wrong


@refused("filter's predicate must take (key, value); got the function <lambda>, which takes (word)")
def filter_with_a_function_of_the_value_alone() -> None:
    words().filter(lambda word: word > "m")  # wrong


@refused(
    "partitioner must take (topic, key, value, partitions); got the function <lambda>, which takes "
    "(key)"
)
def partitioner_of_the_key_alone() -> None:
    words().to("echoes", Produced(partitioner=lambda key: 0))  # wrong


@refused(
    "a sink's topic extractor must take (key, value, record_context); got the function <lambda>, "
    "which takes (key, value)"
)
def topic_extractor_of_key_and_value_alone() -> None:
    words().to(lambda key, value: "echoes")  # wrong


@refused("partitioner must be a function; got 3")
def partitioner_that_is_a_number() -> None:
    Produced(partitioner=3)  # wrong


# Options


@refused(
    "to takes a Produced; got Consumed(key=None, value=None, timestamp_extractor=None, "
    "offset_reset=None, name=None)"
)
def to_with_the_option_of_another_verb() -> None:
    words().to("echoes", Consumed())  # wrong


@refused("to takes a Produced; got serdes.string(); write Produced(value=serdes.string())")
def to_with_a_serde() -> None:
    words().to("echoes", TEXT)  # wrong


@refused("stream takes a Consumed; got Produced(key=None, value=None, partitioner=None, name=None)")
def stream_with_the_option_of_another_verb() -> None:
    StreamsBuilder().stream("words", Produced())  # wrong


@refused("repartition takes a Repartitioned; got 'by-user'; write Repartitioned('by-user')")
def repartition_with_a_name() -> None:
    words().repartition("by-user")  # wrong


@refused("print takes a Printed; got 'label'")
def print_with_a_label() -> None:
    words().print("label")  # wrong


@refused("default_branch takes a Branched; got Named(name='rest')")
def default_branch_with_a_name() -> None:
    words().split().default_branch(Named("rest"))  # wrong


@refused("key serde must be a Serde; got the function string; did you mean serdes.string()?")
def serde_factory_instead_of_serde() -> None:
    Consumed(key=serdes.string)  # wrong


@refused("value serde must be a Serde; got the class str; did you mean serdes.string()?")
def python_type_instead_of_serde() -> None:
    words().to("echoes", Produced(value=str))  # wrong


@refused(
    "offset_reset must be one of 'earliest', 'latest', 'none', or a timedelta that is not "
    "negative; got 'beginning'"
)
def unknown_offset_reset() -> None:
    Consumed(offset_reset="beginning")  # wrong


@refused(
    "timestamp_extractor must be a function or an object; got the class "
    "WallclockTimestampExtractor; did you mean WallclockTimestampExtractor()?"
)
def extractor_class_instead_of_object() -> None:
    Consumed(timestamp_extractor=WallclockTimestampExtractor)  # wrong


@refused("timestamp_extractor must be a function; got 'created_at'")
def extractor_that_is_a_field_name() -> None:
    Consumed(timestamp_extractor="created_at")  # wrong


@refused("partitions must be a whole number of at least 1; got 0")
def no_partitions() -> None:
    words().repartition(Repartitioned(partitions=0))  # wrong


@refused("partitions must be a whole number of at least 1; got '3'")
def partitions_as_text() -> None:
    Repartitioned(partitions="3")  # wrong


@refused("cannot write to file '/no/such/folder/words.txt': No such file or directory")
def print_to_a_file_that_cannot_be_written() -> None:
    Printed.to_file("/no/such/folder/words.txt")  # wrong


@refused("a file path must be a str that is not empty; got ''")
def print_to_a_file_without_a_name() -> None:
    Printed.to_file("")  # wrong


# Names


@refused("a name must not be empty")
def empty_name() -> None:
    Named("")  # wrong


@refused("a name must not be '..'")
def name_of_two_dots() -> None:
    Named("..")  # wrong


@refused("a name must be a str; got 5")
def name_that_is_a_number() -> None:
    words().filter(anything, named=5)  # wrong


@refused(
    "a name must consist of ASCII letters, digits, '.', '_' and '-'; got 'große wörter!' with "
    "' ', '!', 'ß', 'ö'"
)
def name_with_strange_characters() -> None:
    words().filter(anything, named="große wörter!")  # wrong


@refused("a name must have at most 249 characters; got 250: 'nnnnnnnnnnnnnnnnnnnn'...")
def name_that_is_too_long() -> None:
    Produced(name="n" * 250)  # wrong


@refused(
    "every node must have a name of its own; got 'longer' again, the name of the node defined at "
    "{first}"
)
def two_verbs_of_one_name() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("words")
    stream.filter(lambda key, word: len(word) > 3, named="longer")  # first
    stream.filter(lambda key, word: len(word) > 9, named="longer")  # wrong
    builder.build()


@refused(
    "every node must have a name of its own; got 'out' again, the name of the node defined at "
    "{first}"
)
def two_sinks_of_one_name() -> None:
    builder = StreamsBuilder()
    builder.stream("words").to("echoes", Produced(name="out"))  # first
    builder.stream("lines").to("echoes", Produced(name="out"))  # wrong
    builder.build()


@refused(
    "every node must have a name of its own; got 'by-user-repartition-filter' again, the name of "
    "the node defined at {first}"
)
def two_repartitions_of_one_name() -> None:
    builder = StreamsBuilder()
    builder.stream("words").repartition(Repartitioned(name="by-user"))  # first
    builder.stream("lines").repartition(Repartitioned(name="by-user"))  # wrong
    builder.build()


@refused(
    "every node must have a name of its own; got 'split-a' again, the name of the node defined at "
    "{first}"
)
def two_branches_of_one_name() -> None:
    builder = StreamsBuilder()
    split = builder.stream("words").split(named="split-")
    split.branch(lambda key, word: word < "m", Branched(name="a"))  # first
    split.branch(lambda key, word: word > "m", Branched(name="a"))  # wrong
    builder.build()


# Topics


@refused("a source must read at least one topic; got none")
def stream_of_no_topics() -> None:
    StreamsBuilder().stream([])  # wrong


@refused("a topic must be a str, or the only one a compiled pattern; got None")
def stream_of_none() -> None:
    StreamsBuilder().stream(None)  # wrong


@refused("a topic must be a str, or the only one a compiled pattern; got b'words'")
def stream_of_bytes() -> None:
    StreamsBuilder().stream(b"words")  # wrong


@refused("a topic must be a str, or the only one a compiled pattern; got re.compile('words-.*')")
def stream_of_a_topic_and_a_pattern() -> None:
    StreamsBuilder().stream(["words", re.compile("words-.*")])  # wrong


@refused(
    "a topic's name must consist of ASCII letters, digits, '.', '_' and '-'; got 'my words' with "
    "' '"
)
def topic_with_a_space() -> None:
    StreamsBuilder().stream("my words")  # wrong


@refused(
    "two streams must read the same topics or none in common; got ['lines', 'words'] after "
    "['words'] at {first}"
)
def overlapping_topics() -> None:
    builder = StreamsBuilder()
    builder.stream("words")  # first
    builder.stream(["words", "lines"])  # wrong
    builder.build()


@refused(
    "streams over the same topics must have the same offset_reset; got 'latest' after 'earliest' "
    "at {first}"
)
def different_offset_resets_of_one_topic() -> None:
    builder = StreamsBuilder()
    builder.stream("words", Consumed(offset_reset="earliest"))  # first
    builder.stream("words", Consumed(offset_reset="latest"))  # wrong
    builder.build()


@refused(
    "pattern 'w.*' matches topic 'words', which is already read by source "
    "'KSTREAM-SOURCE-0000000000'; a topic must have one source"
)
def pattern_over_a_topic_that_is_read() -> None:
    builder = StreamsBuilder()
    builder.stream("words")
    builder.stream(re.compile("w.*"))  # wrong
    builder.build()


@refused(
    "a sink must write to one topic; got the pattern 'out-.*'; to choose the topic per record pass "
    "a function (key, value, record_context) -> topic"
)
def to_a_pattern() -> None:
    words().to(re.compile("out-.*"))  # wrong


@refused(
    "a sink's topic must be a str or a function (key, value, record_context) -> topic; got "
    "['a', 'b']"
)
def to_several_topics() -> None:
    words().to(["a", "b"])  # wrong


@refused("a topic's name must not be empty")
def to_a_topic_without_a_name() -> None:
    words().to("")  # wrong


# Branches and merges


@refused("a branch must have a function or a consumer, not both")
def branch_with_function_and_consumer() -> None:
    Branched(function=lambda stream: stream, consumer=lambda stream: None)  # wrong


@refused("a branch's consumer must be a function; got 'echoes'")
def branch_with_a_topic_for_a_consumer() -> None:
    Branched(consumer="echoes")  # wrong


@refused("a branch's function must give a KStream or None; got 'echoes'")
def branch_whose_function_gives_no_stream() -> None:
    words().split().branch(anything, Branched(function=lambda stream: "echoes"))  # wrong


@refused("merge takes another KStream; got None")
def merge_with_nothing() -> None:
    words().merge(None)  # wrong


@refused(
    "merge takes a stream of the same StreamsBuilder; got one of another builder; make "
    "both with one"
)
def merge_with_a_stream_of_another_builder() -> None:
    words().merge(words())  # wrong


# Processors


@refused("a processor supplier must be a class or a function that gives a new processor; got None")
def process_without_a_supplier() -> None:
    words().process(None)  # wrong


@refused("process takes a supplier of Processor; got one of FixedKeyProcessor; use process_values")
def process_with_a_fixed_key_processor() -> None:
    words().process(EchoValues)  # wrong


@refused("process_values takes a supplier of FixedKeyProcessor; got one of Processor; use process")
def process_values_with_a_processor() -> None:
    words().process_values(Echo)  # wrong


@refused(
    "a processor supplier must make a new processor each time; got an object of class Echo; pass "
    "the class Echo"
)
def processor_object_instead_of_class() -> None:
    words().process(Echo())  # wrong


@refused(
    "a processor supplier must make a new processor each time; the function <lambda> gave an "
    "object of class Echo twice"
)
def supplier_of_one_and_the_same_processor() -> None:
    words().process(lambda: THE_ONLY_ECHO)  # wrong


@refused(
    "a processor supplier must give a Processor or FixedKeyProcessor; the function <lambda> gave "
    "'echo'"
)
def supplier_of_something_else() -> None:
    words().process(lambda: "echo")  # wrong


@refused(
    "a processor supplier must take no arguments and give a new processor; got the function "
    "<lambda>, which takes (record); pass a class derived from Processor"
)
def function_of_a_record_instead_of_a_processor() -> None:
    words().process(lambda record: None)  # wrong


# Stores


@refused(
    "state store 'counts' of processor 'KSTREAM-PROCESSOR-0000000001' is not in the topology; "
    "known stores: none; add it with add_state_store first"
)
def unknown_store() -> None:
    builder = StreamsBuilder()
    builder.stream("words").process(Echo, state_stores=["counts"])  # wrong
    builder.build()


@refused(
    "state store 'count' of processor 'echo' is not in the topology; known stores: 'counts'; add "
    "it with add_state_store first"
)
def misspelled_store() -> None:
    topology = echo_topology().add_state_store(COUNTS)
    topology.connect_processor_and_state_stores("echo", "count")  # wrong


@refused("state_stores must be a list of names; got 'counts'; write ['counts']")
def name_of_a_store_instead_of_a_list() -> None:
    words().process(Echo, state_stores="counts")  # wrong


@refused(
    "state_stores must be a list of names; got StoreBuilder(name='counts', key=serdes.string(), "
    "value=serdes.long(), logged=True) in it; write 'counts'"
)
def store_instead_of_its_name() -> None:
    words().process(Echo, state_stores=[COUNTS])  # wrong


@refused(
    "another state store is already named 'counts', defined at {first}; a store must have a name "
    "of its own"
)
def two_stores_of_one_name() -> None:
    other = Stores.in_memory_key_value_store("counts", key=TEXT, value=TEXT)
    builder = StreamsBuilder()
    builder.add_state_store(COUNTS)  # first
    builder.add_state_store(other)  # wrong
    builder.build()


@refused(
    "another state store is already named 'counts', defined at {first}; a store must have a name "
    "of its own"
)
def two_aggregates_into_one_store() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("words").group_by_key()
    grouped.count(Materialized("counts"))  # first
    grouped.count(Materialized("counts"))  # wrong
    builder.build()


@refused(
    "another state store is already named 'rates', defined at {first}; a store must have a name "
    "of its own"
)
def a_store_with_the_name_of_a_global_table() -> None:
    builder = StreamsBuilder()
    builder.global_table("rates", materialized=Materialized("rates"))  # first
    builder.add_state_store(Stores.key_value_store("rates"))  # wrong
    builder.build()


@refused("add_state_store takes a StoreBuilder; got 'counts'")
def add_state_store_by_name() -> None:
    StreamsBuilder().add_state_store("counts")  # wrong


@refused(
    "state store 'counts': its key serde must be a Serde; got the function string; did you mean "
    "serdes.string()?"
)
def store_with_a_serde_factory() -> None:
    store = Stores.in_memory_key_value_store("counts", key=serdes.string, value=TEXT)
    StreamsBuilder().add_state_store(store)  # wrong


@refused("a store must be connected to a processor; got 'source'; processors: 'echo'")
def store_of_a_source() -> None:
    echo_topology().add_state_store(COUNTS, "source")  # wrong


@refused("processor 'echo' must be connected to at least one store; got none")
def connected_to_no_store() -> None:
    echo_topology().connect_processor_and_state_stores("echo")  # wrong


# The low-level topology


@refused(
    "every node must have a name of its own; got 'source' again, the name of the node defined at "
    "{first}"
)
def two_nodes_of_one_name() -> None:
    topology = Topology().add_source("source", "words")  # first
    topology.add_processor("source", Echo, "source")  # wrong


@refused("a node's name must be a str; got None")
def node_without_a_name() -> None:
    Topology().add_source(None, "words")  # wrong


@refused("topic 'words' is already read by source 'source'; a topic must have one source")
def topic_of_two_sources() -> None:
    echo_topology().add_source("another", "words")  # wrong


@refused(
    "topic 'words' is already read by source 'all', whose pattern 'w.*' matches it; a topic must "
    "have one source"
)
def topic_that_a_pattern_reads() -> None:
    topology = Topology().add_source("all", re.compile("w.*"))
    topology.add_source("some", "words")  # wrong


@refused("source 'source' must read each topic once; got words, words")
def topic_twice_in_one_source() -> None:
    Topology().add_source("source", "words", "words")  # wrong


@refused("a topic must be a str, or the only one a compiled pattern; got ['words', 'lines']")
def source_of_a_list() -> None:
    Topology().add_source("source", ["words", "lines"])  # wrong


@refused("parent 'sauce' of node 'out' is not in the topology; known nodes: 'source', 'echo'")
def unknown_parent() -> None:
    echo_topology().add_sink("out", "echoes", "sauce")  # wrong


@refused("parent 'loop' of node 'loop' is not in the topology; a node must not be its own parent")
def processor_below_itself() -> None:
    echo_topology().add_processor("loop", Echo, "loop")  # wrong


@refused("node 'out' must have at least one parent; got none")
def sink_without_a_parent() -> None:
    echo_topology().add_sink("out", "echoes")  # wrong


@refused("a parent of node 'out' must be a node's name; got ['source', 'echo']")
def parents_as_a_list() -> None:
    echo_topology().add_sink("out", "echoes", ["source", "echo"])  # wrong


@refused("parent 'out' of node 'more' must not be a sink; sinks forward nothing")
def processor_below_a_sink() -> None:
    topology = echo_topology().add_sink("out", "echoes", "echo")
    topology.add_processor("more", Echo, "out")  # wrong


# Java's spelling


@refused("KStream has no 'mapValues'; in Python it is spelled 'map_values'", AttributeError)
def camel_case_verb() -> None:
    words().mapValues(str.upper)


@refused("KStream has no 'foreach'; in Python it is spelled 'for_each'", AttributeError)
def verb_with_another_name() -> None:
    words().foreach(print)


@refused("StreamsBuilder has no 'strem'; did you mean 'stream'?", AttributeError)
def misspelled_verb() -> None:
    StreamsBuilder().strem("words")


@refused("Topology has no 'addSource'; in Python it is spelled 'add_source'", AttributeError)
def camel_case_topology() -> None:
    Topology().addSource("source", "words")


@refused("TestInputTopic has no 'pipeInput'; in Python it is spelled 'pipe_input'", AttributeError)
def camel_case_test_topic() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("words", TEXT, TEXT).pipeInput("word")


# Settings


@refused(
    "setting 'aplication.id' is not known; did you mean 'application.id'? (settings of your own "
    "start with 'app.')",
    ConfigError,
)
def misspelled_setting() -> None:
    StreamsConfig({"aplication.id": "echo"})


@refused(
    "setting 'colour' is not known (settings of your own start with 'app.')",
    ConfigError,
)
def unknown_setting() -> None:
    StreamsConfig({"application.id": "echo", "colour": "blue"})


@refused("a setting's key must be a str; got 5", ConfigError)
def setting_without_a_name() -> None:
    StreamsConfig({5: "five"})


@refused("setting 'application.id' must be given; it names the application", ConfigError)
def no_application_id() -> None:
    StreamsConfig({})


@refused("setting 'application.id' must be a str that is not empty; got ''", ConfigError)
def empty_application_id() -> None:
    StreamsConfig({"application.id": ""})


@refused("setting 'max.task.idle.ms' must be a whole number of at least -1; got -2", ConfigError)
def idle_time_below_the_smallest() -> None:
    echo_driver(**{"max.task.idle.ms": -2})


@refused(
    "setting 'max_task_idle_ms' must be a whole number of at least -1; got 'soon'", ConfigError
)
def idle_time_that_is_no_number() -> None:
    echo_driver(max_task_idle_ms="soon")


@refused(
    "setting 'processing.exception.handler' must be a processing exception handler or the name of "
    "one of LogAndFailProcessingExceptionHandler, LogAndContinueProcessingExceptionHandler; got "
    "'org.example.Mine'",
    ConfigError,
)
def handler_by_an_unknown_name() -> None:
    echo_driver(**{"processing.exception.handler": "org.example.Mine"})


@refused(
    "setting 'processing.exception.handler' must be a processing exception handler, with a method "
    "handle_error, or its class; got <class 'penstock.handlers.LogAndContinueExceptionHandler'>",
    ConfigError,
)
def handler_of_another_kind() -> None:
    echo_driver(**{"processing.exception.handler": LogAndContinueExceptionHandler})


@refused(
    "setting 'production.exception.handler' must be a production exception handler, with a method "
    "handle_error, or its class; got 5",
    ConfigError,
)
def handler_without_its_method() -> None:
    echo_driver(**{"production.exception.handler": 5})


@refused(
    "setting 'default.timestamp.extractor' must be a timestamp extractor, with a method __call__, "
    "or its class; got 5",
    ConfigError,
)
def extractor_that_is_a_number() -> None:
    echo_driver(**{"default.timestamp.extractor": 5})


@refused(
    "setting 'default.value.serde': unknown serde 'strng'; did you mean 'string'? known names: "
    "'string', 'bytes', 'short', 'integer', 'long', 'float', 'double', 'boolean', 'uuid', 'void', "
    "'json', and Java's, like 'Serdes.StringSerde'",
    ConfigError,
)
def misspelled_serde() -> None:
    echo_driver(**{"default.value.serde": "strng"})


@refused(
    "sink 'KSTREAM-SINK-0000000001' (defined at {first}) has no value serde; pass "
    "Produced(value=...), or set 'default.value.serde'",
    ConfigError,
)
def sink_without_a_serde() -> None:
    builder = StreamsBuilder()
    builder.stream("words", Consumed(key=TEXT)).to("echoes")  # first
    TopologyTestDriver(builder.build(), {"default.key.serde": TEXT})


# The test driver


@refused(
    "TopologyTestDriver takes a Topology; got an object of class StreamsBuilder; did you forget "
    "builder.build()?"
)
def driver_of_a_builder() -> None:
    TopologyTestDriver(StreamsBuilder())  # wrong


@refused("topic 'lines' is no input of the topology; its inputs: 'words'", ValueError)
def piping_into_an_unknown_topic() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("lines", TEXT, TEXT).pipe_input("key", "value")


@refused("key serde must be a Serde; got the function string; did you mean serdes.string()?")
def input_topic_with_a_serde_factory() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("words", serdes.string, TEXT)  # wrong


@refused("the value of a record for topic 'words' must fit serdes.string(); got int 5", TypeError)
def piping_a_value_that_does_not_fit() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("words", TEXT, TEXT).pipe_input("key", 5)


@refused(
    "pipe_input takes a value, or a key and a value; got TestRecord(key='k', value='v', "
    "timestamp=None, headers=Headers([])); use pipe_record",
    TypeError,
)
def piping_a_test_record_as_a_value() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("words", TEXT, TEXT).pipe_input(TestRecord("k", "v"))


@refused("headers must be (str, bytes) pairs; got {'trace': b'1'}", TypeError)
def piping_headers_as_a_dict() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("words", TEXT, TEXT).pipe_input("v", headers={"trace": b"1"})


@refused("a timestamp must be whole milliseconds; got '5'", TypeError)
def piping_at_a_time_that_is_text() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_input_topic("words", TEXT, TEXT).pipe_input("v", timestamp="5")


@refused("advance must be a timedelta or whole milliseconds; got 1.5", TypeError)
def advancing_by_a_float() -> None:
    echo_driver(**{"default.value.serde": TEXT}).advance_wall_clock_time(1.5)


@refused("a clock must not move backwards; got -1 ms", ValueError)
def advancing_backwards() -> None:
    echo_driver(**{"default.value.serde": TEXT}).advance_wall_clock_time(-1)


@refused("topic 'echoes' is not written to yet; topics written to: none", LookupError)
def reading_before_anything_was_written() -> None:
    driver = echo_driver(**{"default.value.serde": TEXT})
    driver.create_output_topic("echoes", TEXT, TEXT).read_value()


@refused(
    "MockProcessorContext does not know the time; call set_current_stream_time_ms first",
    StreamsError,
)
def asking_a_mock_for_a_time_it_was_not_given() -> None:
    _ = MockProcessorContext().current_stream_time_ms
