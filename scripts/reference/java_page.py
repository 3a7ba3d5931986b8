"""The page that says for each of Java's methods and settings what it is here."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from penstock import serdes
from penstock._camel_case import snake_case
from penstock.settings.client_keys import clients_knowing
from penstock.settings.table import BY_KEY, NOT_HONOURED, RENAMED
from scripts.reference.java_names import NAMES, NO_TYPE, OURS
from scripts.reference.names import attributes, definer, own_attributes, public_types, reached

_FIRST = (
    "StreamsBuilder KStream KTable GlobalKTable KGroupedStream KGroupedTable CogroupedKStream "
    "TimeWindowedKStream SessionWindowedKStream TimeWindowedCogroupedKStream "
    "SessionWindowedCogroupedKStream BranchedKStream TimeWindows SlidingWindows SessionWindows "
    "UnlimitedWindows JoinWindows Window Windowed EmitStrategy Suppressed BufferConfig Branched "
    "Consumed Grouped Joined Materialized Named Printed Produced Repartitioned StreamJoined "
    "TableJoined Serdes WindowedSerdes KafkaStreams Topology TopologyDescription"
)
"""What most programs call; the rest follows by name."""

JAVA_API = Path(__file__).parent / "java_api.json"
MISSING = "no: "

_HEAD = Path(__file__).parent / "heads" / "java.md"

_ONLY_HERE = """\
## Only here

Names that Java has not, or not as a method.

| name | |
|---|---|"""
_FIELDS = """\
Fields of plain data, and members of enumerations:

| of | |
|---|---|"""


def java_api() -> dict[str, Any]:
    """Return Java's names."""
    api: dict[str, Any] = json.loads(JAVA_API.read_text(encoding="utf-8"))
    return api


def page() -> str:
    """Write the page."""
    api = java_api()
    parts = [_HEAD.read_text("utf-8").replace("VERSION", api["version"])]
    covered: set[tuple[str, str]] = set()
    for java, methods in sorted(api["types"].items(), key=_place):
        rows = [(method, translation(java, method)) for method in methods]
        covered |= {
            name for _, said in rows if not said.startswith(MISSING) for name in reached(said)
        }
        if rows:
            parts.append(_section(java, rows))
    parts.append(_only_here(covered))
    parts.append(_settings(api["settings"]))
    return "\n".join(parts)


def translation(java: str, method: str) -> str:
    """Return our spelling of one of Java's methods, or why there is none."""
    if (said := NAMES.get(java, {}).get(method)) is not None:
        return said
    owner = OURS.get(java, java)
    ours = snake_case(method)
    if owner in public_types() and ours in attributes(public_types()[owner]):
        return f"{owner}.{ours}"
    msg = f"{java}.{method} is neither here nor in scripts/reference/java_names.py"
    raise LookupError(msg)


def only_here(covered: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the public names that no method of Java's is; what a class shares with another that has
    it is left out.
    """
    types = public_types()
    makers = {name for name in serdes.__all__ if inspect.isfunction(getattr(serdes, name))}
    for name in sorted(makers - {attribute for owner, attribute in covered if owner == "serdes"}):
        yield "serdes", name
    known = {
        (definer(types[owner], attribute), attribute)
        for owner, attribute in covered
        if owner in types
    }
    for name, kind in sorted(types.items()):
        for attribute in sorted(own_attributes(name, kind)):
            if (definer(kind, attribute), attribute) not in known:
                yield name, attribute


def _place(entry: tuple[str, object]) -> tuple[int, str]:
    name, _ = entry
    first = _FIRST.split()
    return (first.index(name) if name in first else len(first), name)


def _section(java: str, rows: list[tuple[str, str]]) -> str:
    note = f"\nHere it is {NO_TYPE[java]}.\n" if java in NO_TYPE else ""
    lines = [f"| `{method}` | {_shown(said)} |" for method, said in rows]
    return "\n".join([f"## {java}", note, "| Java | Python |", "|---|---|", *lines, ""])


def _shown(said: str) -> str:
    return f"*none:* {said.removeprefix(MISSING)}" if said.startswith(MISSING) else f"`{said}`"


def _only_here(covered: set[tuple[str, str]]) -> str:
    lines, plain = [], dict[str, list[str]]()
    owners: dict[str, Any] = {**public_types(), "serdes": serdes}
    for name, attribute in only_here(covered):
        if said := _first_sentence(owners[name], attribute):
            lines.append(f"| `{name}.{attribute}` | {said} |")
        else:
            plain.setdefault(name, []).append(attribute)
    fields = [
        f"| `{name}` | {', '.join(f'`{attribute}`' for attribute in attributes)} |"
        for name, attributes in plain.items()
    ]
    return "\n".join([_ONLY_HERE, *lines, "", _FIELDS, *fields, ""])


def _first_sentence(kind: Any, attribute: str) -> str:
    thing = inspect.getattr_static(kind, attribute, None)
    is_documented = callable(thing) or isinstance(thing, (classmethod, property, staticmethod))
    text = (inspect.getdoc(getattr(kind, attribute, None)) or "") if is_documented else ""
    if isinstance(thing, property):
        text = inspect.getdoc(thing) or ""
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".").replace("|", "\\|")


def _settings(keys: list[str]) -> str:
    lines = [f"| `{key}` | {_setting(key)} |" for key in keys]
    head = (
        "## Settings\n\nThe keys of `StreamsConfig`. A key that has no effect is refused, not "
        "ignored. What each does, and the defaults: [Settings](settings.md).\n\n"
        "| Java | here |\n|---|---|"
    )
    return "\n".join([head, *lines, ""])


def _setting(key: str) -> str:
    if key in BY_KEY:
        return "the same"
    if key in RENAMED:
        return f"refused: it is called `{RENAMED[key]}`, in Java as well"
    if key in NOT_HONOURED:
        return "refused: it would have no effect"
    if clients_knowing(key):
        return "given to the Kafka clients"
    msg = f"nobody knows the setting {key!r}"
    raise LookupError(msg)
