"""Between values of a user's type and the plain dicts that Avro and JSON Schema know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from penstock.serdes.defaults import completer
from penstock.serdes.document_types import is_pydantic, parts_of, type_name

_AVRO_KNOWS = (bytes, bytearray, datetime, date, time, Decimal, UUID)
"""Values that have a logical type of their own in Avro; in JSON they are text."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The two directions."""

    to_plain: Callable[[Any], Any]
    from_plain: Callable[[Any], Any]


def conversion(of: Any, *, keeps_types: bool) -> Conversion:
    """Return how values of a type become plain ones and back; without a type they are plain."""
    if of is None:
        return Conversion(_same, _same)
    if is_pydantic(of):
        mode = "python" if keeps_types else "json"
        return Conversion(
            lambda value: value.model_dump(mode=mode, by_alias=True), of.model_validate
        )
    known = _AVRO_KNOWS if keeps_types else ()
    complete = completer(of, parts_of) or _same

    def to_plain(value: Any) -> Any:
        if isinstance(of, type) and not issubclass(of, dict) and not isinstance(value, of):
            msg = f"it must be a {type_name(of)}; got {type(value).__qualname__}"
            raise TypeError(msg)
        return msgspec.to_builtins(value, builtin_types=known)

    def from_plain(plain: Any) -> Any:
        return complete(msgspec.convert(plain, of, builtin_types=known))

    return Conversion(to_plain, from_plain)


def _same(value: Any) -> Any:
    return value
