"""Which public names there are, and whether a name that a page shows is one of them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import penstock
from penstock import handlers, serdes, testing
from scripts.reference.java_names import NOT_FOR_USERS

_BUILT_IN = set(dir(tuple)) | set(dir(Exception)) | set(dir(object))
# The settings have a page of their own; errors are raised, not called.
_OTHER_PAGES = {
    "StreamsConfig",
    "ConfigError",
    "SerializationError",
    "StreamsError",
    "TopologyError",
}

# What objects are given when they are made; no class says so.
_GIVEN = {"MockProcessorContext": {"application_id", "committed", "record_metadata", "task_id"}}


class NoSuchNameError(LookupError):
    """What a page calls a name is none."""


def public_types() -> dict[str, type]:
    """Return the classes that users see, by name."""
    found: dict[str, type] = {}
    for module in (penstock, testing):
        for name in module.__all__:
            if inspect.isclass(thing := getattr(module, name)):
                found[name] = thing
    for name in (
        "DeserializationExceptionHandler",
        "ErrorHandlerContext",
        "ProcessingExceptionHandler",
        "ProductionExceptionHandler",
    ):
        found[name] = getattr(handlers, name)
    return found


def attributes(kind: type) -> set[str]:
    """Return the public attributes of a class, those its objects are given included."""
    named = {name for name in dir(kind) if not name.startswith("_")}
    for owner in kind.__mro__:
        named |= {
            name for name in vars(owner).get("__annotations__", {}) if not name.startswith("_")
        }
        named |= {name for name in vars(owner).get("__slots__", ()) if not name.startswith("_")}
    named |= _GIVEN.get(kind.__name__, set())
    return named if issubclass(kind, tuple) else named - (_BUILT_IN - {"index", "count"})


def own_attributes(name: str, kind: type) -> set[str]:
    """Return the attributes of a class that users call or read."""
    if name in _OTHER_PAGES:
        return set()
    inherited = _BUILT_IN if issubclass(kind, (tuple, Exception)) else set[str]()
    return attributes(kind) - inherited - NOT_FOR_USERS.get(name, set())


def definer(kind: type, attribute: str) -> str:
    """Return the name of the class that an attribute comes from."""
    for owner in kind.__mro__:
        if attribute in vars(owner) or attribute in vars(owner).get("__annotations__", {}):
            return owner.__name__
    return kind.__name__


def reached(shown: str) -> Iterator[tuple[str, str]]:
    """Yield class and attribute of all that `KStream.map` or `Consumed(key=...)` names.

    Raises:
        NoSuchNameError: it names something that does not exist.
    """
    node = ast.parse(shown, mode="eval").body
    call = node if isinstance(node, ast.Call) else None
    target = call.func if call is not None else node
    owner, attribute = _split(target, shown)
    if owner == "serdes":
        if not hasattr(serdes, attribute):
            raise NoSuchNameError(shown)
        yield owner, attribute
        return
    kind = public_types().get(owner)
    if kind is None or (attribute and attribute not in attributes(kind)):
        raise NoSuchNameError(shown)
    if attribute:
        yield owner, attribute
    if call is not None:
        function: Any = getattr(kind, attribute) if attribute else kind
        known = inspect.signature(function).parameters
        for keyword in call.keywords:
            if keyword.arg not in known:
                raise NoSuchNameError(shown)
            if not attribute:
                yield owner, str(keyword.arg)


def _split(target: ast.expr, shown: str) -> tuple[str, str]:
    if isinstance(target, ast.Name):
        return target.id, ""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return target.value.id, target.attr
    raise NoSuchNameError(shown)
