"""Functions that do not run when they are called: async functions and generator functions.

A call only makes a coroutine, a generator or an asynchronous generator, which the engine would
drop: every record would vanish without an error.
"""

from __future__ import annotations

import functools
import inspect
from typing import Literal, TypeAlias

from penstock.errors import StreamsError, TopologyError, undone_work

Deferred: TypeAlias = Literal["async", "generator"]


def deferral_of(function: object) -> Deferred | None:
    """Return why a call of `function`, which may be an object with `__call__`, does not run it;
    None if it does, as far as Python knows.
    """
    while isinstance(function, functools.partial):
        function = function.func
    called = [function]
    if not isinstance(function, type) and not inspect.isroutine(function):
        called.append(getattr(function, "__call__", function))  # noqa: B004
    for one in called:
        if inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one):
            return "async"
        if inspect.isgeneratorfunction(one):
            return "generator"
    return None


def refuse_deferred_methods(made: object, *names: str) -> None:
    """Refuse an object of the user one of whose methods does not run when it is called.

    Raises:
        TopologyError: with the class, the method and its line.
    """
    for name in names:
        method = getattr(made, name, None)
        if method is None or (why := deferral_of(method)) is None:
            continue
        kind = f"an {why}" if why == "async" else f"a {why}"
        msg = (
            f"{type(made).__name__}.{name} must be a plain method; got {kind} function{_at(method)}"
            f", which does nothing when it is called; {_INSTEAD[why]}"
        )
        raise TopologyError(msg)


def refuse_deferred_timer(callback: object) -> None:
    """Refuse a timer's callback that does not run when it is called."""
    why = deferral_of(callback)
    if why is not None:
        msg = (
            f"a schedule's callback must be a plain function; got the {why} function "
            f"{getattr(callback, '__name__', type(callback).__name__)}{_at(callback)}, which does "
            f"nothing when it is called; {_INSTEAD[why]}"
        )
        raise TypeError(msg)


def refuse_deferred_work(returned: object, what: str) -> None:
    """Refuse what a call returned if it is work that is not done: `deferral_of` cannot see it
    behind a decorator.
    """
    undone = undone_work(returned)
    if undone is not None:
        msg = f"{what} returned {undone}"
        raise StreamsError(msg)


_INSTEAD: dict[Deferred, str] = {
    "async": "write it with def",
    "generator": "call self.context.forward(record) instead of yield",
}


def _at(function: object) -> str:
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    return "" if code is None else f" at {code.co_filename}:{code.co_firstlineno}"
