"""Programs whose records hold commands for a store, separated by semicolons: `put k a 5; all`.
Answers are forwarded. Twin: oracle/StoreCommands.java.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from penstock import Processor, Record, StoreBuilder, StreamsBuilder, Topology, ValueAndTimestamp
from penstock.windowed import Windowed

Answer = Callable[[Any, list[str]], str | None]


def key_value_commands(store: StoreBuilder) -> Topology:
    """Return a program whose records are commands for a key-value store."""
    return _program(store, _answer_of_keys)


def window_commands(store: StoreBuilder) -> Topology:
    """Return a program whose records are commands for a window store."""
    return _program(store, _answer_of_windows)


def timestamped_window_commands(store: StoreBuilder) -> Topology:
    """Return the same for values with times, written value@time."""
    return _program(store, _answer_of_timestamped_windows)


def session_commands(store: StoreBuilder) -> Topology:
    """Return a program whose records are commands for a session store."""
    return _program(store, _answer_of_sessions)


def versioned_commands(store: StoreBuilder) -> Topology:
    """Return a program whose records are commands for a versioned store."""
    return _program(store, _answer_of_versions)


class Clerk(Processor[str, str, str, str]):
    """Carries out the commands of each record."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def process(self, record: Record[str, str]) -> None:
        store = self.context.get_state_store("store")
        for command in record.value.split("; "):
            answer = self._answer(store, command.split(" "))
            if answer is not None:
                self.context.forward(record.with_value(f"{command}: {answer}"))


def _program(store: StoreBuilder, answer: Answer) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(store)
    builder.stream("in").process(partial(Clerk, answer), state_stores=["store"]).to("out")
    return builder.build()


def _answer_of_keys(store: Any, words: list[str]) -> str | None:
    command, *given = words
    if command == "put":
        store.put(given[0], _word(given[1]))
        return None
    if command == "count":
        return str(store.approximate_num_entries())
    if command in {"get", "delete", "put_if_absent"}:
        return _shown(getattr(store, command)(*given))
    return _listed(getattr(store, command)(*map(_word, given)))


def _answer_of_windows(
    store: Any,
    words: list[str],
    value: Callable[[str], Any] = str,
    shown: Callable[[Any], str] = str,
) -> str | None:
    command, *given = words
    if command == "put":
        store.put(given[0], None if given[1] == "-" else value(given[1]), _number(given[2]))
        return None
    if command == "get":
        found = store.fetch(given[0], _number(given[1]))
        return "-" if found is None else shown(found)
    if command in {"fetch", "backward_fetch"}:
        return _listed(getattr(store, command)(given[0], *map(_number, given[1:])), shown)
    if command in {"fetch_range", "backward_fetch_range"}:
        bounds = (*map(_word, given[:2]), *map(_number, given[2:]))
        return _listed(getattr(store, command)(*bounds), shown)
    return _listed(getattr(store, command)(*map(_number, given)), shown)


def _answer_of_timestamped_windows(store: Any, words: list[str]) -> str | None:
    def value(text: str) -> ValueAndTimestamp[str]:
        plain, _, timestamp = text.partition("@")
        return ValueAndTimestamp(plain, int(timestamp))

    return _answer_of_windows(store, words, value, lambda pair: f"{pair.value}@{pair.timestamp}")


def _answer_of_sessions(store: Any, words: list[str]) -> str | None:
    command, *given = words
    if command == "put":
        store.put(Windowed(given[0], *map(_number, given[2:])), _word(given[1]))
        return None
    if command == "remove":
        store.remove(Windowed(given[0], *map(_number, given[1:])))
        return None
    if command == "get":
        return _shown(store.fetch_session(given[0], *map(_number, given[1:])))
    called = command.replace("find", "find_sessions")
    if command.endswith("range"):
        return _listed(getattr(store, called)(*map(_word, given[:2]), *map(_number, given[2:])))
    if command == "find_ending":
        return _listed(store.find_sessions_ending(*map(_number, given)))
    return _listed(getattr(store, called)(given[0], *map(_number, given[1:])))


def _answer_of_versions(store: Any, words: list[str]) -> str | None:
    command, key, *given = words
    if command == "put":
        return str(store.put(key, _word(given[0]), _number(given[1])))
    called = store.delete if command.startswith("delete") else store.get
    version = called(key, *map(_number, given))
    if version is not None and command.endswith("until"):
        return f"{version.value} until {_shown(version.valid_to)}"
    return "-" if version is None else f"{version.value}@{version.timestamp}"


def _word(text: str) -> str | None:
    return None if text == "-" else text


def _number(text: str) -> int:
    return 2**63 - 1 if text == "max" else int(text)


def _shown(value: object) -> str:
    return "-" if value is None else str(value)


def _listed(rows: Iterable[tuple[Any, Any]], shown: Callable[[Any], str] = str) -> str:
    return f"[{' '.join(f'{key!s}={shown(value)}' for key, value in rows)}]"
