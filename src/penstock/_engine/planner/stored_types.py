"""The types that the stores of a program are written with, and the fields that a changed program
would lose: it reads rows without them, and the next write of a row drops what they held.

Only types that say which fields they have are compared: JSON of a dataclass, a TypedDict, a
NamedTuple, a msgspec.Struct or a pydantic model. Java: none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from penstock._engine.topology.topology import Topology
from penstock.errors import ConfigError
from penstock.serdes import Serde
from penstock.serdes.contract import BuiltInSerde
from penstock.serdes.document_shapes import Shape, Side, lost_fields
from penstock.serdes.windowed import inner_serde_of
from penstock.settings import StreamsConfig
from penstock.stores import StoreBuilder

StoredTypes: TypeAlias = Mapping[str, Mapping[str, Shape]]
"""The shapes of a store by its parts, which stand behind the store's name in that of a field."""

_KEY, _VALUE, _RIGHT_VALUE = "[key]", "", "[right]"


def types_of(topology: Topology, config: StreamsConfig, side: Side = "written") -> StoredTypes:
    """Return the types of all stores whose rows outlive the program and are its own: those of
    global stores, and of tables that are restored from their topics, are the topics'.
    """
    stores = {
        name: dict(_shapes(store, config, side))
        for name, store in topology.stores.items()
        if name not in topology.global_stores
        and name not in topology.source_changelogs
        and (store.logged or store.engine != "in_memory")
    }
    return {name: shapes for name, shapes in stores.items() if shapes}


def removed_fields(
    before: StoredTypes, topology: Topology, config: StreamsConfig, keeps: Callable[[str], bool]
) -> list[str]:
    """Return the fields that types of stores have lost; `keeps` says whether a store has rows.

    A field that is written under its name as before is not lost: a validator of a model may read
    names that the model does not tell.
    """
    read, written = types_of(topology, config, "read"), types_of(topology, config, "written")
    return [
        field
        for name in sorted(before.keys() & read.keys())
        if keeps(name)
        for part, shape in before[name].items()
        for unwritten in (lost_fields(shape, written[name].get(part), f"{name}{part}"),)
        for field in lost_fields(shape, read[name].get(part), f"{name}{part}")
        if field in unwritten
    ]


def accepting_names(removed: Iterable[str], times: Mapping[str, int]) -> dict[str, str]:
    """Return the fields with the names that accept their loss. A field that was lost before, so and
    so many `times`, needs another one: what the user has left in the settings is spent.
    """
    return {field: f"{field}#{times[field] + 1}" if field in times else field for field in removed}


def refusal_of_removed(names: Iterable[str], application_id: str, setting: str) -> str:
    """Return what would be lost and what to do; `names` are those that accept it."""
    names = list(names)
    told = "".join(f"\n  - {name}" for name in names)
    return (
        f"types of stores have lost fields since application {application_id!r} ran last, and what "
        f"is stored in them would be lost row by row, with the next write of each:{told}\n"
        "Nothing was made or changed. You can\n"
        "  - keep what is stored: give the fields back; one under another name counts as lost\n"
        "  - begin anew: choose another 'application.id', or run 'penstock reset PROGRAM', which "
        "deletes its internal topics, committed offsets and local state\n"
        f"  - let it go, once: set {setting!r} to {', '.join(names)!r}"
    )


def _shapes(store: StoreBuilder, config: StreamsConfig, side: Side) -> Iterator[tuple[str, Shape]]:
    title = f"state store {store.name!r}"
    serdes: dict[str, Callable[[], Serde[Any]]] = {
        _KEY: lambda: config.key_serde(store.key, title),
        _VALUE: lambda: config.value_serde(store.value, title),
    }
    if store.other_value is not None:
        serdes[_RIGHT_VALUE] = lambda: config.value_serde(store.other_value, title)
    for part, serde in serdes.items():
        try:
            found = serde()
        except ConfigError:  # it has none; the store says so when it is opened
            continue
        found = inner_serde_of(found) or found
        shape = found.document_shape(side) if isinstance(found, BuiltInSerde) else None
        if shape is not None:
            yield part, shape
