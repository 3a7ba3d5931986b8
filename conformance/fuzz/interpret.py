"""Turns a description into a topology; `DescribedProgram.java` is its twin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.fuzz import functions, joins, options, processors
from conformance.fuzz.description import Description, Step
from penstock import (
    Branched,
    EmitStrategy,
    Printed,
    StreamsBuilder,
    Suppressed,
    Topology,
)
from penstock.handlers import LogAndContinueProcessingExceptionHandler

Log = Callable[[str], None]


class DescribedProgram:
    """What the harness takes a program for: `topology(log)` and `CONFIG`."""

    def __init__(self, description: Description) -> None:
        self.CONFIG = {
            name: LogAndContinueProcessingExceptionHandler if value == "continue" else value
            for name, value in description.config.items()
        }
        self._steps = description.steps

    @staticmethod
    def of_case(folder: Path) -> DescribedProgram:
        """Give the program of a case whose `program.json` holds the description."""
        text = (folder / "program.json").read_text(encoding="utf-8")
        return DescribedProgram(Description.from_json(text))

    def topology(self, log: Log) -> Topology:
        """Build what the steps say."""
        interpreter = _Interpreter(log)
        for step in self._steps:
            interpreter.perform(step)
        topology: Topology = interpreter.builder.build(self.CONFIG)
        return topology


class _Interpreter:
    """The results of the steps so far; each verb is a method of its name."""

    def __init__(self, log: Log) -> None:
        self.builder: Any = StreamsBuilder()
        self._log = log
        self._results: dict[str, Any] = {}

    def perform(self, step: Step) -> None:
        verb = step["verb"]
        if "of" in step:
            own = getattr(self, f"_{verb}", None)
            of = self._results[step["of"]]
            result = own(step, of) if own else _SIMPLE[verb](of, step)
        else:
            result = getattr(self, f"_{verb}")(step)
        if "id" in step:
            self._results[step["id"]] = result

    def _stream(self, step: Step) -> Any:
        return self.builder.stream(step["topics"], options.given(step, "consumed"))

    def _table(self, step: Step) -> Any:
        return self.builder.table(
            step["topic"],
            options.given(step, "consumed"),
            materialized=options.given(step, "materialized"),
        )

    def _peek(self, step: Step, stream: Any) -> Any:
        return stream.peek(self._logged(step), named=step.get("named"))

    def _for_each(self, step: Step, stream: Any) -> None:
        stream.for_each(self._logged(step), named=step.get("named"))

    def _logged(self, step: Step) -> Callable[[Any, Any], None]:
        label, log, text = step["label"], self._log, functions.text
        return lambda key, value: log(f"{label}: {text(key)}={text(value)}")

    def _split(self, step: Step, stream: Any) -> None:
        split = stream.split(named=step.get("named"))
        for branch in step["branches"]:
            branched = Branched[Any, Any](branch.get("name"), consumer=self._keep_as(branch["id"]))
            if "f" not in branch:
                split.default_branch(branched)
                return
            split.branch(functions.PREDICATES[branch["f"]], branched)
        split.no_default_branch()

    def _keep_as(self, name: str) -> Callable[[Any], None]:
        return lambda stream: self._results.__setitem__(name, stream)

    def _merge(self, step: Step, stream: Any) -> Any:
        return stream.merge(self._results[step["with"]], named=step.get("named"))

    def _join(self, step: Step, of: Any) -> Any:
        return joins.join(step, of, self._results[step["with"]])

    _left_join = _join
    _outer_join = _join

    def _process(self, step: Step, stream: Any) -> Any:
        return processors.process(step, stream, self.builder)

    _process_values = _process

    def _transform_values(self, step: Step, table: Any) -> Any:
        return processors.transform_values(step, table, self.builder)

    def _global_table(self, step: Step) -> Any:
        return self.builder.global_table(
            step["topic"], options.given(step, "consumed"), options.given(step, "materialized")
        )

    def _cogroup(self, step: Step, of: Any) -> Any:
        aggregator = functions.AGGREGATORS[step["f"]]
        if "with" in step:
            return of.cogroup(self._results[step["with"]], aggregator)
        return of.cogroup(aggregator)


def _named(step: Step) -> dict[str, Any]:
    """Give the options that nearly every verb of a stream or a table has."""
    given: dict[str, Any] = {"named": step.get("named")}
    if (materialized := options.given(step, "materialized")) is not None:
        given["materialized"] = materialized
    return given


def _pair(step: Step) -> Callable[[Any, Any], tuple[Any, Any]]:
    selector = functions.SELECTORS[step["key"]]
    mapper = functions.KEY_MAPPERS[step["value"]]
    return lambda key, value: (selector(key, value), mapper(key, value))


def _print(stream: Any, step: Step) -> None:
    text = functions.text
    stream.print(
        Printed.to_sys_out(
            label=step.get("label"),
            mapper=lambda key, value: f"{text(key)}={text(value)}",
            name=step.get("named"),
        )
    )


def _to(stream: Any, step: Step) -> None:
    topic: Any = step.get("topic")
    if "topic_by" in step:
        selector, text = functions.SELECTORS[step["topic_by"]], functions.text
        topic = lambda key, value, context: f"out-of-{text(selector(key, value))}"  # noqa: E731
    stream.to(topic, options.given(step, "produced"))


def _to_stream(table: Any, step: Step) -> Any:
    selector = functions.SELECTORS[step["f"]] if "f" in step else None
    return table.to_stream(selector, named=step.get("named"))


def _group_by(of: Any, step: Step) -> Any:
    selector = functions.SELECTORS[step["f"]] if "f" in step else _pair(step)
    return of.group_by(selector, options.given(step, "grouped"))


def _reduce(group: Any, step: Step) -> Any:
    reducers = [functions.REDUCERS[step[name]] for name in ("f", "subtractor") if name in step]
    return group.reduce(*reducers, **_named(step))


def _aggregate(group: Any, step: Step) -> Any:
    folds = [functions.AGGREGATORS[step[name]] for name in ("f", "subtractor") if name in step]
    if "merger" in step:
        folds.append(functions.MERGERS[step["merger"]])
    return group.aggregate(functions.INITIALIZERS[step["initializer"]], *folds, **_named(step))


def _windowed_by(group: Any, step: Step) -> Any:
    windowed = group.windowed_by(options.windows(step["windows"]))
    if step.get("emit") == "close":
        return windowed.emit_strategy(EmitStrategy.on_window_close())
    return windowed


def _suppress(table: Any, step: Step) -> Any:
    if step["until"] == "window_closes":
        until = Suppressed.until_window_closes(options.buffer(step), name=step.get("named"))
    else:
        until = Suppressed.until_time_limit(
            step["limit"], options.buffer(step), name=step.get("named")
        )
    return table.suppress(until)


def _with_function(verb: str, family: dict[str, Any]) -> Callable[[Any, Step], Any]:
    return lambda of, step: getattr(of, verb)(family[step["f"]], **_named(step))


_SIMPLE: dict[str, Callable[[Any, Step], Any]] = {
    "filter": _with_function("filter", functions.PREDICATES),
    "filter_not": _with_function("filter_not", functions.PREDICATES),
    "map_values": _with_function("map_values", functions.MAPPERS),
    "map_values_with_key": _with_function("map_values_with_key", functions.KEY_MAPPERS),
    "flat_map": _with_function("flat_map", functions.PAIR_EXPANDERS),
    "flat_map_values": _with_function("flat_map_values", functions.EXPANDERS),
    "flat_map_values_with_key": _with_function("flat_map_values_with_key", functions.KEY_EXPANDERS),
    "select_key": _with_function("select_key", functions.SELECTORS),
    "map": lambda stream, step: stream.map(_pair(step), named=step.get("named")),
    "print": _print,
    "to": _to,
    "repartition": lambda stream, step: stream.repartition(options.given(step, "repartitioned")),
    "group_by_key": lambda stream, step: stream.group_by_key(options.given(step, "grouped")),
    "group_by": _group_by,
    "to_table": lambda stream, step: stream.to_table(**_named(step)),
    "to_stream": _to_stream,
    "windowed_by": _windowed_by,
    "suppress": _suppress,
    "count": lambda group, step: group.count(**_named(step)),
    "reduce": _reduce,
    "aggregate": _aggregate,
}
