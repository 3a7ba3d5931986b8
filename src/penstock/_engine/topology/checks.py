"""Checks the arguments of a topology; each raises a TopologyError that says what was expected."""

from __future__ import annotations

import dis
import errno
import inspect
import logging
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from datetime import timedelta
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, TypeAlias, TypeVar

from penstock._engine.topology.deferred_calls import deferral_of, refuse_deferred_methods
from penstock._names import check_name
from penstock.errors import TopologyError
from penstock.processor import FixedKeyProcessor, Processor, ValueTransformerWithKey
from penstock.serdes import Serde
from penstock.serdes.names import factory_meant
from penstock.stores import StoreBuilder

T = TypeVar("T")
Returns: TypeAlias = Literal["a value", "several", "anything"]
"""What a function of the user must return."""

_log = logging.getLogger(__name__)

_OFFSET_RESETS = ("earliest", "latest", "none")


def check_function(
    function: object,
    what: str,
    *parameters: str,
    instead: str | None = None,
    returns: Returns = "a value",
    several: str | None = None,
) -> None:
    """Refuse anything that cannot be called with `parameters`; `instead` is the verb whose function
    takes more parameters, `several` the one whose function may yield several results.

    A function that must return a value and can only return None is warned of.
    """
    if not callable(function):
        hint = "" if parameters else f"; write lambda: {shown(function)}"
        if function is None:
            hint = "; pass the function itself, without calling it"
        msg = f"{what} must be a function; got {shown(function)}{hint}"
        raise TopologyError(msg)
    if deferral_of(function) == "async":
        msg = (
            f"{what} must be a plain function, since nobody awaits what it gives; got the async "
            f"function {getattr(function, '__name__', shown(function))}; write it with def"
        )
        raise TopologyError(msg)
    if parameters:
        _check_result(function, what, returns, several)
    taken = _parameters_unless(function, len(parameters))
    if taken is not None:
        hint = f"; did you mean {instead}?" if instead else ""
        msg = (
            f"{what} must take ({', '.join(parameters)}); got {shown(function)}, which takes "
            f"{taken}{hint}"
        )
        raise TopologyError(msg)


def _check_result(
    function: Callable[..., Any], what: str, returns: Returns, several: str | None
) -> None:
    if deferral_of(function) == "generator":
        if returns == "several":
            return
        hint = f"use {several}, whose function may yield several" if several else "return a value"
        msg = (
            f"{what} must be a plain function; got the generator function "
            f"{getattr(function, '__name__', shown(function))}, which does nothing but make an "
            f"iterator when it is called; {hint}"
        )
        raise TopologyError(msg)
    plain = getattr(function, "__func__", function)
    if returns != "anything" and inspect.isfunction(plain) and returns_only_none(plain):
        code = plain.__code__
        _log.warning(
            "%s %s at %s:%d can only return None: is its 'return' missing?",
            what,
            plain.__name__,
            code.co_filename,
            code.co_firstlineno,
        )


def check_timestamp_extractor(extractor: object) -> None:
    """Refuse what is no extractor, also the common slip of passing a class, not an object."""
    if isinstance(extractor, type):
        msg = (
            f"timestamp_extractor must be a function or an object; got {shown(extractor)}; "
            f"did you mean {extractor.__name__}()?"
        )
        raise TopologyError(msg)
    check_function(extractor, "timestamp_extractor", "record", "partition_time")


def check_option(option: object, kind: type[T], verb: str) -> T:
    """Refuse an option object of another verb: `to(..., Consumed(...))`."""
    if not isinstance(option, kind):
        msg = f"{verb} takes a {kind.__name__}; got {shown(option)}{_as_option(option, kind)}"
        raise TopologyError(msg)
    return option


def _as_option(option: object, kind: type) -> str:
    """Return how to write a name or a serde that was passed without its option object."""
    names = [part.name for part in fields(kind)] if is_dataclass(kind) else []
    if isinstance(option, str) and names[:1] == ["name"] and kind is not StoreBuilder:
        return f"; write {kind.__name__}({option!r})"
    if isinstance(option, Serde) and "value" in names and kind is not StoreBuilder:
        return f"; write {kind.__name__}(value={option!r})"
    return ""


def check_serde(serde: object, what: str) -> None:
    """Refuse anything but None, which means the default, and a serde."""
    if serde is not None:
        check_given_serde(serde, what)


def check_given_serde(serde: object, what: str) -> None:
    """Refuse anything that is no serde, also the common slip of passing its factory."""
    if isinstance(serde, Serde):
        return
    factory = factory_meant(serde)
    if isinstance(serde, type) and issubclass(serde, Serde):
        msg = f"{what} serde must be a Serde; got {shown(serde)}; did you mean {serde.__name__}()?"
        raise TopologyError(msg)
    hint = f"did you mean serdes.{factory}()?" if factory else "see penstock.serdes"
    msg = f"{what} serde must be a Serde; got {shown(serde)}; {hint}"
    raise TopologyError(msg)


def check_store(store: object, verb: str) -> StoreBuilder:
    """Refuse a store that could not be opened: a wrong name or a wrong serde."""
    builder = check_option(store, StoreBuilder, verb)
    check_name(builder.name, "store's name")
    for part, serde in (("key", builder.key), ("value", builder.value)):
        check_serde(serde, f"state store {builder.name!r}: its {part}")
    return builder


def check_offset_reset(policy: str | timedelta | None) -> None:
    """Refuse anything but Kafka's reset policies."""
    is_duration = isinstance(policy, timedelta) and policy >= timedelta(0)
    if policy is not None and not is_duration and policy not in _OFFSET_RESETS:
        msg = (
            f"offset_reset must be one of {', '.join(map(repr, _OFFSET_RESETS))}, or a timedelta "
            f"that is not negative; got {policy!r}"
        )
        raise TopologyError(msg)


def check_partitions(partitions: object) -> None:
    """Refuse anything but a count of at least one."""
    if not isinstance(partitions, int) or isinstance(partitions, bool) or partitions < 1:
        msg = f"partitions must be a whole number of at least 1; got {partitions!r}"
        raise TopologyError(msg)


def check_partitioner(partitioner: object) -> None:
    """Refuse what is no partitioner."""
    # None is for Kafka's own partitioner.
    check_function(
        partitioner, "partitioner", "topic", "key", "value", "partitions", returns="anything"
    )


def split_topics(topics: Iterable[object]) -> tuple[tuple[str, ...], re.Pattern[str] | None]:
    """Return topic names, or a pattern; one source has either."""
    given = tuple(topics)
    if not given:
        msg = "a source must read at least one topic; got none"
        raise TopologyError(msg)
    if len(given) == 1 and isinstance(given[0], re.Pattern):
        return (), given[0]
    names = []
    for topic in given:
        if not isinstance(topic, str):
            msg = f"a topic must be a str, or the only one a compiled pattern; got {topic!r}"
            raise TopologyError(msg)
        names.append(check_topic(topic))
    return tuple(names), None


def check_topic(topic: str) -> str:
    """Refuse a name that no Kafka topic can have."""
    return check_name(topic, "topic's name")


def check_initial(topic: str, given: Any) -> Any:
    """Refuse what cannot be the first rows of a table. Spark's classes are not known here."""
    frame = given if hasattr(given, "isStreaming") else getattr(given, "frame", given)
    if not hasattr(frame, "isStreaming"):
        msg = (
            f"table({topic!r}, initial=...) must be a DataFrame of Spark, or Typed(frame) of "
            f"penstock.spark; got {shown(given)}"
        )
        raise TopologyError(msg)
    if frame.isStreaming:
        msg = (
            f"table({topic!r}, initial=...) must be a batch DataFrame: its rows are written once; "
            "got a streaming one, which is an input of penstock.spark.run"
        )
        raise TopologyError(msg)
    return given


def refuse_initial(topics: Iterable[str], advice: str) -> None:
    """Refuse tables that begin with a DataFrame where no live application starts."""
    for topic in topics:
        msg = (
            f"table({topic!r}, initial=...) is written to its topic before a live application "
            f"starts; build the topology without it, and {advice}"
        )
        raise TopologyError(msg)


def check_sink_topic(topic: object) -> None:
    """Refuse what is no topic to write to; a pattern is the usual mistake."""
    if isinstance(topic, re.Pattern):
        msg = (
            f"a sink must write to one topic; got the pattern {topic.pattern!r}; "
            "to choose the topic per record pass a function (key, value, record_context) -> topic"
        )
        raise TopologyError(msg)
    if isinstance(topic, str):
        check_topic(topic)
        return
    if not callable(topic):
        msg = (
            "a sink's topic must be a str or a function (key, value, record_context) -> topic; "
            f"got {shown(topic)}"
        )
        raise TopologyError(msg)
    check_function(topic, "a sink's topic extractor", "key", "value", "record_context")


def check_supplier(
    supplier: Callable[[], Any],
) -> Processor[Any, Any, Any, Any] | FixedKeyProcessor[Any, Any, Any]:
    """Refuse a supplier that returns no processor, or the same one twice; return one of its
    processors.
    """
    if isinstance(supplier, (Processor, FixedKeyProcessor)):
        msg = (
            "a processor supplier must make a new processor each time; got "
            f"{shown(supplier)}; pass the class {type(supplier).__name__}"
        )
        raise TopologyError(msg)
    if not callable(supplier):
        msg = (
            "a processor supplier must be a class or a function that gives a new processor; got "
            f"{shown(supplier)}"
        )
        raise TopologyError(msg)
    taken = _parameters_unless(supplier, 0)
    if taken is not None:
        msg = (
            "a processor supplier must take no arguments and give a new processor; got "
            f"{shown(supplier)}, which takes {taken}; pass a class derived from Processor"
        )
        raise TopologyError(msg)
    first, second = supplier(), supplier()
    if not isinstance(first, (Processor, FixedKeyProcessor)):
        msg = (
            "a processor supplier must give a Processor or FixedKeyProcessor; "
            f"{shown(supplier)} gave {shown(first)}"
        )
        raise TopologyError(msg)
    if first is second:
        msg = (
            f"a processor supplier must make a new processor each time; {shown(supplier)} gave "
            f"{shown(first)} twice"
        )
        raise TopologyError(msg)
    refuse_deferred_methods(first, "init", "process", "close")
    return first


def supplied_stores(supplier: object) -> tuple[StoreBuilder, ...]:
    """Return the stores that come with a supplier: those of its `stores()`, if it has one. Java:
    ConnectedStoreProvider.
    """
    found = inspect.getattr_static(supplier, "stores", None)
    if found is None or (
        isinstance(supplier, type) and not isinstance(found, (staticmethod, classmethod))
    ):
        return ()  # a method of a processor is its own business
    stores = getattr(supplier, "stores", None)
    what = f"stores() of the supplier {shown(supplier)}"
    if not callable(stores) or (taken := _parameters_unless(stores, 0)) is not None:
        takes = f"a function that takes {taken}" if callable(stores) else shown(stores)
        msg = (
            f"{what} must take no arguments and return the stores of the processor; got {takes}; "
            "in a class write it with @staticmethod, or rename it"
        )
        raise TopologyError(msg)
    given = stores()
    if given is None:
        return ()
    if isinstance(given, (str, StoreBuilder)) or not isinstance(given, Iterable):
        msg = f"{what} must return a list of stores, made with Stores; got {shown(given)}"
        raise TopologyError(msg)
    return tuple(check_store(store, what) for store in given)


def check_brings_no_stores(supplier: object, verb: str) -> None:
    """Refuse a supplier that brings stores to a node that can have none but its own."""
    brought = supplied_stores(supplier)
    if brought:
        names = ", ".join(repr(store.name) for store in brought)
        msg = (
            f"{verb} takes a supplier without stores() of its own: its processor writes the one "
            f"store that is given; got {shown(supplier)} with {names}"
        )
        raise TopologyError(msg)


def check_transformer_supplier(supplier: object) -> None:
    """Refuse a supplier that returns no transformer, or the same one twice."""
    wanted = "a class derived from ValueTransformerWithKey, or a function that gives a new one"
    if isinstance(supplier, ValueTransformerWithKey):
        msg = (
            f"transform_values takes {wanted}; got {shown(supplier)}; pass the class "
            f"{type(supplier).__name__}"
        )
        raise TopologyError(msg)
    if not callable(supplier) or (taken := _parameters_unless(supplier, 0)) is not None:
        takes = f", which takes {taken}" if callable(supplier) else ""
        msg = (
            f"transform_values takes {wanted}; got {shown(supplier)}{takes}; to map values with a "
            "plain function use map_values"
        )
        raise TopologyError(msg)
    first, second = supplier(), supplier()
    for method in ("init", "transform", "close"):
        if not callable(getattr(first, method, None)):
            msg = (
                f"transform_values takes {wanted}; {shown(supplier)} gave {shown(first)}, which "
                f"has no {method}"
            )
            raise TopologyError(msg)
    if first is second:
        msg = (
            f"transform_values must be given a new transformer each time; {shown(supplier)} gave "
            f"{shown(first)} twice"
        )
        raise TopologyError(msg)
    refuse_deferred_methods(first, "init", "transform", "close")


def check_store_names(names: object) -> tuple[str, ...]:
    """Refuse anything but names of stores; one name alone and the stores themselves are the usual
    mistakes.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        hint = f"; write [{names!r}]" if isinstance(names, str) else ""
        msg = f"state_stores must be a list of names; got {shown(names)}{hint}"
        raise TopologyError(msg)
    given = tuple(names)
    for name in given:
        if not isinstance(name, str):
            hint = f"; write {name.name!r}" if isinstance(name, StoreBuilder) else ""
            msg = f"state_stores must be a list of names; got {shown(name)} in it{hint}"
            raise TopologyError(msg)
    return given


def check_writable(path: object) -> None:
    """Refuse a file that cannot be written; leave it as it is. Java empties it here, where ours may
    be a command that only looks at the program: `empty_files` does it when the program starts.
    """
    if not isinstance(path, str) or not path.strip():
        msg = f"a file path must be a str that is not empty; got {path!r}"
        raise TopologyError(msg)
    file = Path(path)
    try:
        if file.exists():
            file.open("a").close()
        elif not (file.parent.is_dir() and os.access(file.parent, os.W_OK | os.X_OK)):
            os.scandir(file.parent).close()  # it says what is wrong with the folder
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        msg = f"cannot write to file {path!r}: {error.strerror}"
        raise TopologyError(msg) from error


def shown(value: object) -> str:
    """Return a wrong argument as text; functions and plain objects without their address."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if inspect.isroutine(value):
        return f"the function {getattr(value, '__name__', value)}"
    if type(value).__repr__ is object.__repr__:
        return f"an object of class {type(value).__name__}"
    return repr(value)


def returns_only_none(function: FunctionType) -> bool:
    """Return whether a function ends without a result wherever it ends, as one does whose `return`
    is missing. A lambda says what it returns: it is meant.
    """
    if function.__name__ == "<lambda>":
        return False
    returned: list[bool] = []
    last: dis.Instruction | None = None
    for one in dis.get_instructions(function):
        if one.opname == "RETURN_CONST":
            returned.append(one.argval is None)
        elif one.opname == "RETURN_VALUE":
            loaded = last is not None and last.opname == "LOAD_CONST" and last.argval is None
            # What a jump brings here is another value.
            returned.append(loaded and not one.is_jump_target)
        last = one
    return bool(returned) and all(returned)


def takes(function: object, count: int) -> bool:
    """Return whether a function can be called with `count` arguments, as far as Python knows."""
    return callable(function) and _parameters_unless(function, count) is None


def _parameters_unless(function: Callable[..., Any], count: int) -> str | None:
    """Return the parameters of `function` if it cannot be called with `count` arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None  # Python does not know its parameters
    try:
        signature.bind(*range(count))
    except TypeError:
        return str(signature)
    return None
