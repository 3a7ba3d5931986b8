"""The stateless verbs. Each function builds an operator into its site."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from penstock._engine.operators.site import Process, Site
from penstock._engine.topology.checks import check_writable
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock.errors import StreamsError
from penstock.record import HeaderPairs

_SEVERAL_VALUES = "several values, or none in an empty list"


def filter_records(operation: nodes.Filter, site: Site) -> Process:
    """Forward the records whose predicate is as wanted."""
    predicate, keep_when, forward, failed = (
        operation.predicate,
        operation.keep_when,
        site.forward,
        site.failed,
    )

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            # `not` makes a bool of any value without the call that bool() would cost.
            if (not predicate(key, value)) is not keep_when:
                forward(key, value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def drop_null_keys(operation: nodes.DropNullKeys, site: Site) -> Process:
    """Forward records with a key; the others are dropped without a count, as in Java."""
    forward, failed = site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is not None:
                forward(key, value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def map_records(operation: nodes.Map, site: Site) -> Process:
    """Forward the pair that the mapper makes."""
    mapper, forward, failed = operation.mapper, site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            pair = mapper(key, value)
            if type(pair) is not tuple or len(pair) != 2:
                _check_pair(pair, "map")
            new_key, new_value = pair
            forward(new_key, new_value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def select_key(operation: nodes.SelectKey, site: Site) -> Process:
    """Forward under the key that the mapper makes."""
    mapper, forward, failed = operation.mapper, site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(mapper(key, value), value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def map_values(operation: nodes.MapValues, site: Site) -> Process:
    """Forward with the value that the mapper makes."""
    mapper, forward, failed = operation.mapper, site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(key, mapper(value), timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    def process_with_key(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(key, mapper(key, value), timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process_with_key if operation.with_key else process


def flat_map(operation: nodes.FlatMap, site: Site) -> Process:
    """Forward each pair that the mapper makes, before the next one is made."""
    mapper, forward, failed = operation.mapper, site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            pairs = mapper(key, value)
            if type(pairs) is not list:
                _check_several(pairs, "flat_map's", "(key, value) pairs")
            for pair in pairs:
                if type(pair) is not tuple or len(pair) != 2:
                    _check_pair(pair, "flat_map")
                new_key, new_value = pair
                forward(new_key, new_value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def flat_map_values(operation: nodes.FlatMapValues, site: Site) -> Process:
    """Forward the record once for each value that the mapper makes."""
    mapper, with_key, forward, failed = (
        operation.mapper,
        operation.with_key,
        site.forward,
        site.failed,
    )

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            new_values = mapper(key, value) if with_key else mapper(value)
            if type(new_values) is not list:
                _check_several(new_values, "flat_map_values'", _SEVERAL_VALUES)
            for new_value in new_values:
                forward(key, new_value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def peek(operation: nodes.Peek, site: Site) -> Process:
    """Call the action; forward unless the stream ends here."""
    action, end, forward, failed = operation.action, operation.end, site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            action(key, value)
            if not end:
                forward(key, value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def branch(operation: nodes.Branch, site: Site) -> Process:
    """Forward to the child of the first predicate that holds, else to the default child."""
    failed = site.failed
    targets = [site.children[name] for name in operation.children]
    chosen = list(zip(operation.predicates, targets, strict=False))
    otherwise = (
        targets[len(operation.predicates)] if len(targets) > len(operation.predicates) else None
    )

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            for predicate, forward in chosen:
                if predicate(key, value):
                    forward(key, value, timestamp, headers)
                    return
            if otherwise is not None:
                otherwise(key, value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def pass_through(operation: nodes.PassThrough, site: Site) -> Process:
    """Forward everything."""
    forward, failed = site.forward, site.failed

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(key, value, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def print_records(operation: nodes.Print, site: Site) -> Process:
    """Write each record as a line."""
    label, mapper, failed = operation.label, operation.mapper, site.failed
    file = _open_for_lines(operation, site)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            print(f"[{label}]: {mapper(key, value)}", file=file or sys.stdout, flush=True)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def empty_files(nodes_: Iterable[nodes.Node]) -> None:
    """Empty the files that records are printed to: a program starts.

    Raises:
        TopologyError: one cannot be written.
    """
    for node in nodes_:
        operation = node.operation if isinstance(node, nodes.ProcessorNode) else None
        if isinstance(operation, nodes.Print) and operation.file is not None:
            check_writable(operation.file)
            Path(operation.file).write_text("")


def _open_for_lines(operation: nodes.Print, site: Site) -> TextIO | None:
    if operation.file is None:
        return None
    file = Path(operation.file).open("a", encoding="utf-8")  # noqa: SIM115 - open as long as the task is
    site.on_close(file.close)
    return file


def _check_pair(pair: object, verb: str) -> None:
    """Refuse all but tuples, by their type: a str of two letters would unpack."""
    if not isinstance(pair, tuple) or len(pair) != 2:
        expected = "a (key, value) pair" if verb == "map" else "(key, value) pairs"
        msg = f"{verb}'s mapper must give {expected}; got {pair!r}"
        raise StreamsError(msg)


def _check_several(values: object, whose: str, expected: str) -> None:
    if not isinstance(values, Iterable):
        msg = f"{whose} mapper must give {expected}; got {values!r}"
        raise StreamsError(msg)
