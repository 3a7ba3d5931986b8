"""Programs that fail while they run: the error says where, in the stream and in the user's files.

Each program fails in the line marked `# fails`, in a node that is drawn in the line marked
`# drawn`; messages name both. All of them are given one record, of topic "words", at offset 1.

Long because it is a table: a program and its message for each way to fail.
"""

# mypy: ignore-errors
# Wrong on purpose: most of these programs do not pass a type checker either; see tests/typing.

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from penstock import (
    FixedKeyProcessor,
    KStream,
    Materialized,
    ProcessingError,
    Processor,
    Produced,
    PunctuationType,
    Record,
    SerializationError,
    StreamsBuilder,
    StreamsError,
    TimeWindows,
    serdes,
)
from penstock.handlers import Response
from penstock.testing import TopologyTestDriver

TEXT = serdes.string()
HERE = "at topic 'words', partition 0, offset 1 in task 0_0"


class Custom(Exception):
    """An exception of the user's own."""


@pytest.fixture(autouse=True)
def _without_the_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The default handlers log what they fail on; the tests look at the errors."""
    with caplog.at_level(logging.CRITICAL):
        yield


@dataclass(frozen=True)
class Failing:
    """A program, its settings, what it raises and with which attributes."""

    program: Callable[[KStream[Any, Any]], object]
    message: str
    node: str
    cause: type[Exception]
    config: dict[str, Any]
    at_record: bool

    def place(self, mark: str) -> str:
        lines, start = inspect.getsourcelines(self.program)
        numbers = [start + i for i, line in enumerate(lines) if mark in line]
        assert len(numbers) <= 1, f"{self.program.__name__} has several lines marked {mark}"
        return f"{__file__}:{numbers[0]}" if numbers else "nowhere"

    def expected(self) -> str:
        text = self.message.replace("{here}", HERE).replace("{source}", SOURCE_LINE)
        return text.replace("{fails}", self.place("# fails")).replace(
            "{drawn}", self.place("# drawn")
        )


FAILING: list[Failing] = []


def fails(
    message: str, node: str, cause: type[Exception], at_record: bool = True, **config: Any
) -> Callable:
    def register(program: Callable[[KStream[Any, Any]], object]) -> Callable:
        FAILING.append(Failing(program, message, node, cause, config, at_record))
        return program

    return register


def run(program: Callable[[KStream[Any, Any]], object], config: dict[str, Any]) -> None:
    """Run a program on one record that is good and one on which it fails."""
    builder = StreamsBuilder()
    stream = builder.stream("words")  # the source
    program(stream)
    settings = {"default.key.serde": TEXT, "default.value.serde": TEXT, **config}
    with TopologyTestDriver(builder.build(), settings, 0) as driver:
        words = driver.create_input_topic("words", serdes.bytes(), serdes.bytes())
        words.pipe_input(b"good", None, timestamp=0)
        words.pipe_input(b"bad", b"word", timestamp=5, headers=[("trace", b"1")])
        driver.advance_wall_clock_time(100)


SOURCE_LINE = "{}:{}".format(
    __file__,
    next(
        inspect.getsourcelines(run)[1] + i
        for i, line in enumerate(inspect.getsourcelines(run)[0])
        if "# the source" in line
    ),
)


def boom(value: object) -> None:
    """Fail on everything but None."""
    if value is not None:
        raise Custom("boom")


BOOM = f"{__file__}:{inspect.getsourcelines(boom)[1] + 3}"


@pytest.mark.parametrize("failing", FAILING, ids=lambda failing: failing.program.__name__)
def test_a_failing_program_says_where(failing: Failing) -> None:
    with pytest.raises(ProcessingError) as caught:
        run(failing.program, failing.config)
    error = caught.value
    assert failing.expected() == str(error)
    assert (failing.cause, "0_0", failing.node) == (
        type(error.__cause__),
        error.task_id,
        error.node,
    )
    at = ("words", 0, 1) if failing.at_record else (None, -1, -1)
    assert at == (error.topic, error.partition, error.offset)


def test_all_failures_are_streams_errors() -> None:
    assert issubclass(ProcessingError, StreamsError)


# The user's functions


FUNCTIONS = {
    "filter": lambda stream: stream.filter(lambda key, value: boom(value)),
    "filter_not": lambda stream: stream.filter_not(lambda key, value: boom(value)),
    "map": lambda stream: stream.map(lambda key, value: boom(value) or (key, value)),
    "map_values": lambda stream: stream.map_values(boom),
    "map_values_with_key": lambda stream: stream.map_values_with_key(
        lambda key, value: boom(value)
    ),
    "flat_map": lambda stream: stream.flat_map(lambda key, value: boom(value) or []),
    "flat_map_values": lambda stream: stream.flat_map_values(lambda value: boom(value) or []),
    "flat_map_values_with_key": lambda stream: stream.flat_map_values_with_key(
        lambda key, value: boom(value) or []
    ),
    "select_key": lambda stream: stream.select_key(lambda key, value: boom(value)),
    "peek": lambda stream: stream.peek(lambda key, value: boom(value)),
    "for_each": lambda stream: stream.for_each(lambda key, value: boom(value)),
    "branch": lambda stream: stream.split().branch(lambda key, value: boom(value)),
}


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_the_error_of_every_verb_names_the_function_that_failed(verb: str) -> None:
    with pytest.raises(ProcessingError) as caught:
        run(FUNCTIONS[verb], {})
    assert str(caught.value).endswith(f"failed on the record {HERE}: Custom: boom (at {BOOM})")
    assert isinstance(caught.value.__cause__, Custom)
    error = caught.value
    assert (error.topic, error.partition, error.offset) == ("words", 0, 1)


@fails(
    "processor 'KSTREAM-MAPVALUES-0000000001' (defined at {drawn}) failed on the record {here}: "
    "AttributeError: 'NoneType' object has no attribute 'upper' (at {fails})",
    "KSTREAM-MAPVALUES-0000000001",
    AttributeError,
)
def unexpected_null_value(stream: KStream[str, str]) -> None:
    def shout(value: str | None) -> str | None:
        known = {"word": None}.get(value, "")
        return known.upper()  # fails

    stream.map_values(shout)  # drawn


@fails(
    "processor 'parse' (defined at {drawn}) failed on the record {here}: JSONDecodeError: "
    "Expecting value: line 1 column 1 (char 0) (at {fails})",
    "parse",
    json.JSONDecodeError,
)
def failure_inside_a_library_is_the_line_that_called_it(stream: KStream[str, str]) -> None:
    def parse(value: str | None) -> object:
        return value and json.loads(value)  # fails

    stream.map_values(parse, named="parse")  # drawn


@fails(
    "processor 'KSTREAM-MAPVALUES-0000000001' (defined at {drawn}) failed on the record {here}: "
    "ValueError: invalid literal for int() with base 10: 'word'",
    "KSTREAM-MAPVALUES-0000000001",
    ValueError,
)
def function_without_a_line_of_its_own(stream: KStream[str, str]) -> None:
    numbers = stream.filter(lambda key, value: value is not None, named="known")
    numbers.map_values(int, named="KSTREAM-MAPVALUES-0000000001")  # drawn


@fails(
    "processor 'KSTREAM-MAP-0000000001' (defined at {drawn}) failed on the record {here}: map's "
    "mapper must give a (key, value) pair; got ['bad', 'word']",
    "KSTREAM-MAP-0000000001",
    StreamsError,
)
def map_that_gives_a_list(stream: KStream[str, str]) -> None:
    stream.map(lambda key, value: (key, value) if value is None else [key, value])  # drawn


@fails(
    "processor 'KSTREAM-MAP-0000000001' (defined at {drawn}) failed on the record {here}: map's "
    "mapper must give a (key, value) pair; got ('bad', 'word', 5)",
    "KSTREAM-MAP-0000000001",
    StreamsError,
)
def map_that_gives_three(stream: KStream[str, str]) -> None:
    stream.map(lambda key, value: (key, value) if value is None else (key, value, 5))  # drawn


@fails(
    "processor 'KSTREAM-FLATMAP-0000000001' (defined at {drawn}) failed on the record {here}: "
    "flat_map's mapper must give (key, value) pairs; got 'bad'",
    "KSTREAM-FLATMAP-0000000001",
    StreamsError,
)
def flat_map_that_gives_one_pair(stream: KStream[str, str]) -> None:
    stream.flat_map(lambda key, value: [] if value is None else (key, value))  # drawn


@fails(
    "processor 'KSTREAM-FLATMAPVALUES-0000000001' (defined at {drawn}) failed on the record "
    "{here}: flat_map_values' mapper must give several values, or none in an empty list; got None",
    "KSTREAM-FLATMAPVALUES-0000000001",
    StreamsError,
)
def flat_map_values_that_forgets_to_return(stream: KStream[str, str]) -> None:
    stream.flat_map_values(lambda value: [] if value is None else None)  # drawn


# What comes in


@fails(
    "source 'KSTREAM-SOURCE-0000000000' (defined at {source}) cannot read the record {here}: "
    "cannot read long: expected 8 bytes, got 4: 77 6f 72 64; was the topic written as long?; to "
    "skip such records set 'deserialization.exception.handler' to LogAndContinueExceptionHandler",
    "KSTREAM-SOURCE-0000000000",
    SerializationError,
    **{"default.value.serde": serdes.long()},
)
def bytes_that_are_no_long(stream: KStream[str, int]) -> None:
    stream.peek(lambda key, value: None)


@fails(
    "source 'KSTREAM-SOURCE-0000000000' (defined at {source}) cannot tell the time of the record "
    "{here}: a timestamp extractor must give whole milliseconds; got 0.5",
    "KSTREAM-SOURCE-0000000000",
    StreamsError,
    **{
        "default.timestamp.extractor": lambda record, time: (
            record.offset / 2 if record.offset else 0
        )
    },
)
def extractor_that_gives_a_fraction(stream: KStream[str, str]) -> None:
    stream.peek(lambda key, value: None)


# What goes out


@fails(
    "sink 'KSTREAM-SINK-0000000002' (defined at {drawn}) writes to topic 'lengths' with a value "
    "serde that does not fit: got str 'WORD' {here}; serdes.long() writes int; got str; pass the "
    "right one: to(..., Produced(value=...)), or set 'default.value.serde'",
    "KSTREAM-SINK-0000000002",
    TypeError,
)
def value_of_the_wrong_type_for_its_sink(stream: KStream[str, str]) -> None:
    shouts = stream.map_values(lambda value: value and value.upper())
    shouts.to("lengths", Produced(value=serdes.long()))  # drawn


@fails(
    "sink 'KSTREAM-SINK-0000000002' (defined at {drawn}) failed on the record {here}: "
    "ZeroDivisionError: integer division or modulo by zero (at {fails})",
    "KSTREAM-SINK-0000000002",
    ZeroDivisionError,
)
def partitioner_that_raises_below_a_mapper(stream: KStream[str, str]) -> None:
    def by_length(topic: str, key: str, value: str | None, count: int) -> int:
        return 0 if value is None else 1 // (len(value) - 4)  # fails

    shouts = stream.map_values(lambda value: value and value.upper())
    shouts.to("words-by-length", Produced(partitioner=by_length))  # drawn


@fails(
    "sink 'KSTREAM-SINK-0000000002' (defined at {drawn}) cannot write the value of a record to "
    "topic 'answers' {here}: a function above it gave a coroutine, of ask at {fails}, so it has "
    "done nothing; write it with def, without yield, and let its decorators call it",
    "KSTREAM-SINK-0000000002",
    TypeError,
)
def lambda_that_returns_a_coroutine(stream: KStream[str, str]) -> None:
    async def ask(value: str) -> str:  # fails
        return value

    answers = stream.map_values(lambda value: value and ask(value))
    answers.to("answers")  # drawn


@fails(
    "processor 'KSTREAM-AGGREGATE-0000000001' (defined at {drawn}) failed on the record {here}: "
    "state store 'totals' cannot hold a value: a function gave a coroutine, of add at {fails}, so "
    "it has done nothing; write it with def, without yield, and let its decorators call it",
    "KSTREAM-AGGREGATE-0000000001",
    StreamsError,
)
def aggregator_that_returns_a_coroutine(stream: KStream[str, str]) -> None:
    async def add(value: str, total: int) -> int:  # fails
        return total

    totals, grouped = Materialized("totals", value=serdes.json()), stream.group_by_key()
    grouped.aggregate(int, lambda key, value, total: add(value, total), totals)  # drawn


@fails(
    "sink 'KSTREAM-SINK-0000000001' (defined at {drawn}) writes to topic 'lengths' with a value "
    "serde that does not fit: got str 'word' {here}; serdes.long() writes int; got str; pass the "
    "right one: to(..., Produced(value=...)), or set 'default.value.serde'",
    "KSTREAM-SINK-0000000001",
    TypeError,
)
def value_of_the_wrong_type_right_below_the_source(stream: KStream[str, str]) -> None:
    stream.to("lengths", Produced(value=serdes.long()))  # drawn


@fails(
    "sink 'KSTREAM-SINK-0000000004' (defined at {drawn}) writes to topic 'counts' with a key serde "
    "that does not fit: got Windowed Windowed(key='bad', start=0, end=10) {here}; "
    "serdes.string() writes str; got Windowed; a key in a window is written by "
    "serdes.time_windowed(KEY_SERDE, WINDOW_SIZE), in a session by "
    "serdes.session_windowed(KEY_SERDE): to(..., Produced(key=...)); or write the plain key: "
    "select_key(lambda windowed, value: windowed.key)",
    "KSTREAM-SINK-0000000004",
    TypeError,
)
def plain_serde_for_a_key_in_a_window(stream: KStream[str, str]) -> None:
    words = stream.filter(lambda key, value: value is not None).group_by_key()
    windows = words.windowed_by(TimeWindows.of_size(10, grace=0))
    counts = windows.count(Materialized("counts")).to_stream()
    counts.to("counts", Produced(key=serdes.string(), value=serdes.long()))  # drawn


@fails(
    "sink 'KSTREAM-SINK-0000000001' (defined at {drawn}) failed on the record {here}: a topic "
    "extractor must give a name; got None",
    "KSTREAM-SINK-0000000001",
    StreamsError,
)
def topic_extractor_that_gives_nothing(stream: KStream[str, str]) -> None:
    stream.to(lambda key, value, context: None if value else "nulls")  # drawn


@fails(
    "sink 'KSTREAM-SINK-0000000001' (defined at {drawn}) failed on the record {here}: a "
    "partitioner must give a partition, several or None; got -4",
    "KSTREAM-SINK-0000000001",
    StreamsError,
)
def partitioner_that_gives_a_negative_number(stream: KStream[str, str]) -> None:
    by_length = Produced(partitioner=lambda topic, key, value, count: -len(value or ""))
    stream.to("words-by-length", by_length)  # drawn


# Processors


class Careless(Processor[str, str, str, str]):
    """Forwards what it must not."""

    def process(self, record: Record[str, str]) -> None:
        if record.value is not None:
            self.mistake(record)

    def mistake(self, record: Record[str, str]) -> None:
        raise NotImplementedError


def careless(mistake: Callable[[Careless, Record[str, str]], None]) -> type[Careless]:
    return type("Careless", (Careless,), {"mistake": mistake})


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed on the record {here}: "
    "processor 'KSTREAM-PROCESSOR-0000000001' must forward a Record; got ('bad', 'word') (at "
    "{fails})",
    "KSTREAM-PROCESSOR-0000000001",
    StreamsError,
)
def forward_of_a_pair(stream: KStream[str, str]) -> None:
    def mistake(self: Careless, record: Record[str, str]) -> None:
        self.context.forward((record.key, record.value))  # fails

    stream.process(careless(mistake))  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed on the record {here}: "
    "processor 'KSTREAM-PROCESSOR-0000000001' has no child 'loud'; its children: 'quiet' (at "
    "{fails})",
    "KSTREAM-PROCESSOR-0000000001",
    StreamsError,
)
def forward_to_an_unknown_child(stream: KStream[str, str]) -> None:
    def mistake(self: Careless, record: Record[str, str]) -> None:
        self.context.forward(record, "loud")  # fails

    stream.process(careless(mistake)).peek(print, named="quiet")  # drawn


@fails(
    "processor 'KSTREAM-PROCESSVALUES-0000000001' (defined at {drawn}) failed on the record "
    "{here}: processor 'KSTREAM-PROCESSVALUES-0000000001' must forward a FixedKeyRecord; got "
    "Record('other', 'word', 5) (at {fails})",
    "KSTREAM-PROCESSVALUES-0000000001",
    StreamsError,
)
def forward_of_another_key_where_it_is_fixed(stream: KStream[str, str]) -> None:
    class Rename(FixedKeyProcessor[str, str, str]):
        def process(self, record: Any) -> None:
            if record.value is not None:
                self.context.forward(Record("other", record.value, record.timestamp))  # fails

    stream.process_values(Rename)  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed on the record {here}: a "
    "record's timestamp must not be negative; got -1 (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    StreamsError,
)
def record_before_the_epoch(stream: KStream[str, str]) -> None:
    def mistake(self: Careless, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(-1))  # fails

    stream.process(careless(mistake))  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed on the record {here}: "
    "state store 'counts' is not connected to processor 'KSTREAM-PROCESSOR-0000000001'; connected "
    "stores: none; pass it to process(..., state_stores=['counts']) or "
    "connect_processor_and_state_stores (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    StreamsError,
)
def store_that_is_not_connected(stream: KStream[str, str]) -> None:
    def mistake(self: Careless, record: Record[str, str]) -> None:
        self.context.get_state_store("counts").put(record.key, record.value)  # fails

    stream.process(careless(mistake))  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed on the record {here}: "
    "AttributeError: ProcessorContext has no 'getStateStore'; in Python it is spelled "
    "'get_state_store' (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    AttributeError,
)
def camel_case_in_a_processor(stream: KStream[str, str]) -> None:
    def mistake(self: Careless, record: Record[str, str]) -> None:
        self.context.getStateStore("counts")  # fails

    stream.process(careless(mistake))  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed on the record {here}: "
    "AttributeError: Forgetful has no context; its init must call super().init(context) (at "
    "{fails})",
    "KSTREAM-PROCESSOR-0000000001",
    AttributeError,
)
def init_that_does_not_call_super(stream: KStream[str, str]) -> None:
    class Forgetful(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.seen = 0

        def process(self, record: Record[str, str]) -> None:
            if record.value is not None:
                self.context.forward(record)  # fails

    stream.process(Forgetful)  # drawn


@fails(
    "processor 'echo' (defined at {drawn}) failed on the record {here}: NotImplementedError: "
    "Careless must override process(record)",
    "echo",
    NotImplementedError,
)
def processor_without_process(stream: KStream[str, str]) -> None:
    known = stream.filter(lambda key, value: value is not None)
    known.process(type("Careless", (Processor,), {}), named="echo")  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed to initialize in task "
    "0_0: Custom: no connection (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    Custom,
    at_record=False,
)
def init_that_raises(stream: KStream[str, str]) -> None:
    class Connects(Careless):
        def init(self, context: Any) -> None:
            raise Custom("no connection")  # fails

    stream.process(Connects)  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed to close in task 0_0: "
    "Custom: still busy (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    Custom,
    at_record=False,
)
def close_that_raises(stream: KStream[str, str]) -> None:
    class Busy(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            pass

        def close(self) -> None:
            raise Custom("still busy")  # fails

    stream.process(Busy)  # drawn


# Timers


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed in a timer at 100 in "
    "task 0_0: Custom: late (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    Custom,
    at_record=False,
)
def timer_that_raises(stream: KStream[str, str]) -> None:
    class Ticking(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.tick)

        def tick(self, now: int) -> None:
            raise Custom("late")  # fails

        def process(self, record: Record[str, str]) -> None:
            pass

    stream.process(Ticking)  # drawn


@fails(
    "processor 'KSTREAM-PROCESSOR-0000000001' (defined at {drawn}) failed to initialize in task "
    "0_0: TypeError: a schedule's type must be a PunctuationType; got 'stream_time' (at {fails})",
    "KSTREAM-PROCESSOR-0000000001",
    TypeError,
    at_record=False,
)
def timer_of_an_unknown_type(stream: KStream[str, str]) -> None:
    class Ticking(Careless):
        def init(self, context: Any) -> None:
            context.schedule(10, "stream_time", print)  # fails

    stream.process(Ticking)  # drawn


# Handlers


class Undecided:
    """A handler that forgets to answer."""

    def handle_error(self, context: Any, record: Any, exception: Exception) -> None:
        pass


class Broken:
    """A handler that fails itself."""

    def handle_error(self, context: Any, record: Any, exception: Exception) -> Response:
        raise Custom("cannot even log")


@fails(
    "processor 'KSTREAM-MAPVALUES-0000000001' (defined at {drawn}) failed in its processing "
    "exception handler {here}: TypeError: a processing exception handler must give a Response; "
    "got None",
    "KSTREAM-MAPVALUES-0000000001",
    TypeError,
    **{"processing.exception.handler": Undecided},
)
def handler_that_does_not_answer(stream: KStream[str, str]) -> None:
    stream.map_values(boom)  # drawn


@fails(
    "processor 'KSTREAM-MAPVALUES-0000000001' (defined at {drawn}) failed in its processing "
    f"exception handler {{here}}: Custom: cannot even log (at {__file__}:"
    f"{inspect.getsourcelines(Broken.handle_error)[1] + 1})",
    "KSTREAM-MAPVALUES-0000000001",
    Custom,
    **{"processing.exception.handler": Broken},
)
def handler_that_raises(stream: KStream[str, str]) -> None:
    stream.map_values(boom)  # drawn
