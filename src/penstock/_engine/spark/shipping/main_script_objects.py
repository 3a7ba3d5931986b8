"""Pickles objects of the main script that pickle would send by name: NewTypes, cached functions.

A worker's main module is Spark's, so names of the user's main script are unknown there. Each object
is sent as the call that makes it.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from pickle import PicklingError
from typing import Any, TypeAlias

import msgspec

from penstock._engine.spark.shipping.importable import is_importable, is_sent

Reduced: TypeAlias = tuple[Any, ...]

_META = tuple(name for name in dir(msgspec.Meta) if not name.startswith("_"))


def reduce_main_script_object(value: object) -> Reduced | None:
    """Return the reduction of `value` to the call that makes it, None if pickle can send it.

    Raises:
        PicklingError: it pickles itself by a name that workers cannot import.
    """
    kind = type(value)
    if kind in _ALWAYS:
        return _ALWAYS[kind](value)
    if getattr(value, "__code__", None) is _DISPATCHING:
        name = value.__qualname__  # type: ignore[attr-defined]
        return None if is_importable(value, name) else _reduce_dispatching(value)
    named = _name_in_a_module(value)
    if named is None or is_importable(value, named):
        return None
    return _reduce_named(value, named)


def _name_in_a_module(value: object) -> str | None:
    """Return the name by which pickle would send `value`, None if it would send its state."""
    kind = type(value)
    if kind.__reduce__ is object.__reduce__ and kind.__reduce_ex__ is object.__reduce_ex__:
        return None
    if not is_sent(getattr(value, "__module__", None)) and kind not in _BY_NAME:
        return None
    reduced = value.__reduce_ex__(4)
    return reduced if isinstance(reduced, str) else None


def _reduce_named(value: object, name: str) -> Reduced:
    kind = type(value)
    if kind in _BY_NAME:
        return _BY_NAME[kind](value)
    if is_sent(kind.__module__):
        # A sentinel of the main script: one object in each pickle, as in the script.
        return object.__new__, (kind,), object.__getstate__(value)
    msg = (
        f"{kind.__module__}.{kind.__qualname__} {name!r} is found by its name in the main script, "
        "which workers cannot import; move it to a module of its own"
    )
    raise PicklingError(msg)


def _reduce_meta(meta: Any) -> Reduced:
    given = {name: getattr(meta, name) for name in _META if getattr(meta, name) is not None}
    return _call, (type(meta), given)


def _reduce_cached_property(found: Any) -> Reduced:
    return _cached_property, (found.func, found.attrname)


def _reduce_new_type(found: Any) -> Reduced:
    return _new_type, (found.__name__, found.__supertype__, found.__module__)


def _reduce_cached_function(found: Any) -> Reduced:
    return _cached_function, (found.__wrapped__, found.cache_parameters())


def _reduce_dispatching(found: Any) -> Reduced:
    functions = dict(found.registry)
    return functools.singledispatch, (functions.pop(object),), functions, None, None, _register


def _register(dispatching: Any, functions: dict[type, Callable[..., Any]]) -> None:
    for kind, function in functions.items():
        dispatching.register(kind, function)


def _reduce_parameters(found: Any) -> Reduced:
    return type(found), (found.__name__,)


def _reduce_alias(found: Any) -> Reduced:
    return _call, (
        type(found),
        {
            "name": found.__name__,
            "value": found.__value__,
            "type_params": found.__type_params__,
        },
    )


def _call(make: Callable[..., Any], given: dict[str, Any]) -> Any:
    return make(**given)


def _new_type(name: str, supertype: Any, module: str) -> Any:
    made = typing.NewType(name, supertype)  # type: ignore[misc]
    made.__module__ = module
    return made


def _cached_function(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """Return the function with a new, empty cache."""
    return functools.lru_cache(**parameters)(function)


def _cached_property(function: Callable[[Any], Any], name: str) -> Any:
    made = functools.cached_property(function)
    made.__set_name__(object, name)
    return made


_DISPATCHING = functools.singledispatch(len).__code__  # type: ignore[attr-defined]
_ALWAYS: dict[type, Callable[[Any], Reduced]] = {
    msgspec.Meta: _reduce_meta,
    functools.cached_property: _reduce_cached_property,
}
_BY_NAME: dict[type, Callable[[Any], Reduced]] = {
    typing.NewType: _reduce_new_type,
    functools._lru_cache_wrapper: _reduce_cached_function,
    typing.ParamSpec: _reduce_parameters,
    typing.TypeVarTuple: _reduce_parameters,
}
if hasattr(typing, "TypeAliasType"):
    _BY_NAME[typing.TypeAliasType] = _reduce_alias
