"""Runs a case's `program.py` through the test driver and observes it step by step.

`oracle/CaseRun.java` does the same for Java, and the two must look in the same order: outputs of
all topics, then what was printed, logged and dropped. What differs between the languages by nature
is levelled here: names of exceptions and of classes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import struct
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from penstock import Topology, serdes
from penstock.errors import ConfigError, SerializationError, StreamsError, TopologyError
from penstock.testing import TestRecord, TopologyTestDriver

CASES = Path(__file__).parent / "cases"

Line = dict[str, Any]

Program = Any
"""A module, or anything else, with `topology(log) -> Topology` and maybe `CONFIG`."""

Look = Callable[[TopologyTestDriver], Line]

# The first is what Java usually has for it. A builder's argument checks all are TopologyError.
_JAVA_NAMES: dict[type[BaseException], tuple[str, ...]] = {
    TopologyError: (
        "TopologyException",
        "NullPointerException",
        "IllegalArgumentException",
        "StreamsException",
    ),
    ConfigError: ("ConfigException", "IllegalArgumentException"),
    SerializationError: ("SerializationException",),
    StreamsError: ("StreamsException", "ProcessorStateException"),
    TypeError: ("NullPointerException", "ClassCastException"),
    ValueError: ("IllegalArgumentException",),
}

# Their values differ between languages, and between two runs of the same one.
_MASKED_HEADERS = {"__streams.errors.exception", "__streams.errors.stacktrace"}

_NUMBERS = {"int": ">i", "long": ">q", "double": ">d"}


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of `cases/<verb>/`."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def module(self) -> str:
        """The name under which every process of an application can import the program."""
        return f"conformance.cases.{self.folder.parent.name}.{self.name}.program"

    @property
    def steps(self) -> list[Line]:
        return _read_lines(self.folder / "input.jsonl")

    @property
    def expected(self) -> list[Line]:
        return _read_lines(self.folder / "expected.jsonl")

    @property
    def expected_topology(self) -> str | None:
        """Java's `describe()` text, or None if Java cannot build the topology."""
        path = self.folder / "topology.txt"
        return path.read_text(encoding="utf-8") if path.exists() else None


@dataclass(slots=True)
class Observation:
    """What a program did: a line per step, its description, the exceptions behind its errors."""

    lines: list[Line] = field(default_factory=list)
    topology: str | None = None
    exceptions: list[BaseException] = field(default_factory=list)


def all_cases(cases: Path) -> dict[str, Case]:
    """Return the cases of all verbs by name, in the order of their names.

    Raises:
        ValueError: two verbs have a case of the same name, which alone says which is meant.
    """
    found: dict[str, Case] = {}
    for path in sorted(cases.glob("*/*/program.py"), key=lambda path: path.parent.name):
        case = Case(path.parent)
        if case.name in found:
            message = (
                f"two cases are called '{case.name}': {found[case.name].folder}, {case.folder}"
            )
            raise ValueError(message)
        found[case.name] = case
    return found


def find_case(name: str) -> Case:
    """Return the case called `name`.

    Raises:
        LookupError: no verb has it.
    """
    for path in CASES.glob(f"*/{name}/program.py"):
        return Case(path.parent)
    message = f"no folder of {CASES} has a case called '{name}'"
    raise LookupError(message)


def run(case: Case) -> Observation:
    """Run `program.py` on `input.jsonl` and return what an onlooker sees."""
    return observe(lambda: _load(case), case.steps, case.expected)


def observe(
    load: Callable[[], Program],
    steps: list[Line],
    expected: list[Line],
    look_before_closing: Look | None = None,
) -> Observation:
    """Run a program on `steps` and return what an onlooker sees.

    What `look_before_closing` sees of the driver when all steps went well is added to the last
    line.
    """
    observer = _Observer(expected, look_before_closing)
    with contextlib.redirect_stdout(observer.printed):
        program = load()
        topology = observer.build(program)
        if topology is not None:
            observer.drive(topology, config_of(program), steps)
    return observer.seen


def topology_text(topology: Topology) -> str:
    """Return the text of `describe()` without what depends on the language."""
    text = str(topology.describe())
    return re.sub(r"\(extractor class: [^)]*\)", "(extractor class: *)", text)


def java_name(error: BaseException, expected: str | None = None) -> str:
    """Name the Java class of `error`: `expected` if the Python class may stand for it.

    A class without a Java twin is a fault of the program or of Penstock: the message is added.
    """
    for cls in type(error).__mro__:
        if names := _JAVA_NAMES.get(cls):
            return expected if expected in names else names[0]
    return f"{type(error).__name__}: {error}"


class _Observer:
    """The state of one run; its last line is the step that is going on."""

    def __init__(self, expected: list[Line], look_before_closing: Look | None) -> None:
        self.seen = Observation()
        self.printed = io.StringIO()
        self._expected = expected
        self._look_before_closing = look_before_closing
        self._logged: list[str] = []

    def build(self, program: Program) -> Topology | None:
        try:
            topology: Topology = program.topology(self._logged.append)
            self.seen.topology = topology_text(topology)
        except Exception as error:
            self._begin_line()
            self._failed("build_error", error)
            return None
        return topology

    def drive(self, topology: Topology, config: dict[str, object], steps: list[Line]) -> None:
        try:
            driver = TopologyTestDriver(topology, config, initial_wall_clock_ms=0)
        except Exception as error:
            self._begin_line()
            self._failed("error", error)
            self._observe_program()
            return
        failed = False
        for step in steps:
            self._begin_line()
            failed = not self._perform(driver, step)
            self._observe_output(driver)
            self._observe_program()
            if dropped := int(driver.metrics()["dropped-records-total"]):
                self._line["dropped"] = dropped
            if failed:
                break
        if not self.seen.lines:
            self._begin_line()
        if self._look_before_closing is not None and not failed:
            self._line.update(self._look_before_closing(driver))
        self._close(driver, after_failure=failed)

    def _perform(self, driver: TopologyTestDriver, step: Line) -> bool:
        try:
            if "advance_wall_clock" in step:
                driver.advance_wall_clock_time(step["advance_wall_clock"])
            else:
                topic = driver.create_input_topic(step["topic"], serdes.bytes(), serdes.bytes())
                topic.pipe_input(
                    to_bytes(step.get("key")),
                    to_bytes(step.get("value")),
                    timestamp=step.get("timestamp", 0),
                    headers=[(key, to_bytes(value)) for key, value in step.get("headers", ())],
                )
        except Exception as error:
            self._failed("error", error)
            return False
        return True

    def _close(self, driver: TopologyTestDriver, *, after_failure: bool) -> None:
        try:
            driver.close()
        except Exception as error:
            # After a failed step the task is in no state to close well; that is no news.
            if not after_failure:
                self._failed("close_error", error)
        if not after_failure:
            self._observe_output(driver)
        self._observe_program()

    def _observe_output(self, driver: TopologyTestDriver) -> None:
        for name in sorted(driver.produced_topic_names()):
            topic = driver.create_output_topic(name, serdes.bytes(), serdes.bytes())
            if records := topic.read_records():
                output = self._line.setdefault("output", {})
                output.setdefault(name, []).extend(map(record_to_json, records))

    def _observe_program(self) -> None:
        # Not splitlines: it would also split at characters that Java prints inside a line.
        if printed := self.printed.getvalue().removesuffix("\n"):
            self._line.setdefault("stdout", []).extend(printed.split("\n"))
        self.printed.seek(0)
        self.printed.truncate()
        if self._logged:
            self._line.setdefault("log", []).extend(self._logged)
            self._logged.clear()

    def _failed(self, kind: str, error: BaseException) -> None:
        index = len(self.seen.lines) - 1
        expected = self._expected[index].get(kind) if index < len(self._expected) else None
        self._line[kind] = java_name(error, expected)
        self.seen.exceptions.append(error)

    def _begin_line(self) -> None:
        self.seen.lines.append({})

    @property
    def _line(self) -> Line:
        return self.seen.lines[-1]


def to_bytes(value: str | Mapping[str, Any] | None) -> bytes | None:
    """Turn a key or value of `input.jsonl` into the bytes it stands for."""
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, Mapping) and len(value) == 1:
        [(kind, content)] = value.items()
        if kind == "hex":
            return bytes.fromhex(content)
        if kind in _NUMBERS:
            return struct.pack(_NUMBERS[kind], content)
    kinds = ", ".join(["hex", *_NUMBERS])
    message = (
        f"a key or value must be a string, null or an object with one of {kinds}; got {value!r}"
    )
    raise ValueError(message)


def to_json(data: bytes | None) -> str | dict[str, str] | None:
    """Write bytes as a string if they are UTF-8 without control characters, otherwise as hex."""
    if data is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}
    if any(unicodedata.category(character) == "Cc" for character in text):
        return {"hex": data.hex()}
    return text


def record_to_json(record: TestRecord[bytes | None, bytes | None]) -> Line:
    """Write a record as the recordings do."""
    line: Line = {
        "key": to_json(record.key),
        "value": to_json(record.value),
        "timestamp": record.timestamp,
    }
    if headers := list(_headers_to_json(record.headers)):
        line["headers"] = headers
    return line


def _headers_to_json(headers: Iterable[tuple[str, bytes | None]]) -> Iterator[list[Any]]:
    for key, value in headers:
        yield [key, "*" if key in _MASKED_HEADERS else to_json(value)]


def config_of(program: Program) -> dict[str, object]:
    """Return the settings that both sides start with, and before them the program's own."""
    return {
        "application.id": "conformance",
        "default.key.serde": serdes.string(),
        "default.value.serde": serdes.string(),
        "statestore.cache.max.bytes": 0,
        **getattr(program, "CONFIG", {}),
    }


def _load(case: Case) -> ModuleType:
    name = f"conformance_case_{case.name}"
    spec = importlib.util.spec_from_file_location(name, case.folder / "program.py")
    if spec is None or spec.loader is None:
        message = f"{case.folder / 'program.py'} cannot be imported"
        raise ImportError(message)
    module = importlib.util.module_from_spec(spec)
    # The types of a dataclass are looked up in sys.modules; a typed JSON serde needs them.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _read_lines(path: Path) -> list[Line]:
    if not path.exists():
        return []
    # Not splitlines: a JSON string may hold U+2028 and its like.
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]
