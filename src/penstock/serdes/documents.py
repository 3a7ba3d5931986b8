"""JSON: any document, or documents of a type.

msgspec reads and writes them in C; a pydantic model reads and writes itself. The output is compact
and, for one value, always the same: fields in the order of their definition, dict keys in the order
they were put in. Where the type has a set, sets and dict keys are sorted, because the order of a
set changes from process to process and a key must not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import msgspec

from penstock.errors import SerializationError
from penstock.serdes.contract import BuiltInSerde
from penstock.serdes.defaults import completer
from penstock.serdes.document_shapes import Shape, Side, shape_of
from penstock.serdes.document_types import (
    Annotations,
    Survey,
    check_can_travel,
    forget_codecs,
    parts_of,
    spell_out,
    spelled_out,
    survey,
    type_name,
)
from penstock.serdes.lost_floats import guarded, refuse_lost_floats

T = TypeVar("T")

Encode: TypeAlias = Callable[[T], bytes]
Decode: TypeAlias = Callable[[bytes], T]

_SHOWN_BYTES = 80
# Older versions of msgspec do not count their errors among the ValueErrors.
_BAD_DATA = (ValueError, msgspec.MsgspecError, RecursionError)


class JsonSerde(BuiltInSerde[T], replaceable=True):
    """JSON of one type, or of any value if no type is given."""

    reads_documents = True

    encode: Encode[T]
    decode: Decode[T]

    def __init__(self, of: Any = None) -> None:
        name = "" if of is None else type_name(of)
        super().__init__(f"json({name})", of)
        decode = _msgspec_decoder(of, repr(self))
        found = survey(Any if of is None else of)
        decode = _completing(decode, of)
        forget_codecs(found.classes)
        if found.problems:
            msg = f"{self!r} cannot be made: {'; '.join(found.problems)}"
            raise TypeError(msg)
        self._classes = found.classes
        # Now: what annotations name may be gone when the program has been read.
        self._shape = shape_of(of, "written")
        encode = _msgspec_encoder(found)
        if found.has_floats:
            encode = guarded(encode, refuse_lost_floats)
        self.encode = _encoder(encode, found.root, repr(self))
        self.decode = _decoder(decode, name or "a value", _msgspec_reason)
        self._decode_good = decode
        self._encode_good = (found.root or object, encode)
        self.gives_frozen = found.is_frozen

    @property
    def document_type(self) -> Any:
        """The type of the documents; None for any."""
        return self._arguments[0]

    def document_shape(self, side: Side) -> Shape:
        del side  # its names are the same for both
        return self._shape

    @property
    def reads_classes(self) -> bool:
        """Whether documents become instances of classes, whose own code may run then."""
        return bool(self._classes)

    @property
    def decode_good(self) -> Decode[T]:
        return self._decode_good

    @property
    def encode_good(self) -> tuple[type, Encode[T]]:
        return self._encode_good

    def __reduce__(self) -> tuple[object, ...]:
        check_can_travel(self._classes)
        return self.reduce_with_classes()

    def reduce_with_classes(self) -> tuple[object, ...]:
        """Return what pickle needs, for a pickler that can send the classes of the main script."""
        return _json_serde, (*self._arguments, spelled_out(self._classes))


class PydanticSerde(BuiltInSerde[T]):
    """JSON of one pydantic model, which validates what it reads. Names are the model's aliases."""

    reads_documents = True

    encode: Encode[T]
    decode: Decode[T]

    def __init__(self, model: Any) -> None:
        name = type_name(model)
        super().__init__(f"json({name})", model)

        def dump(value: Any) -> bytes:
            text: str = value.model_dump_json(by_alias=True)
            return text.encode()

        # NaN and the infinities are the model's own business: `ser_json_inf_nan`, serializers.
        self.encode = _encoder(dump, model, repr(self))
        self.decode = _decoder(model.model_validate_json, name, _pydantic_reason)

    def document_shape(self, side: Side) -> Shape:
        return shape_of(self._arguments[0], side)


def _json_serde(of: Any, annotations: Annotations) -> JsonSerde[Any]:
    """Build a serde again where it has arrived."""
    spell_out(annotations)
    return JsonSerde(of)


def _msgspec_decoder(of: Any, call: str) -> Decode[Any]:
    try:
        return msgspec.json.Decoder(Any if of is None else of).decode
    except NameError as error:
        msg = (
            f"{call} cannot be made: {error}; an annotation must name something that is defined "
            "at the top level of its module before the serde is made"
        )
        raise TypeError(msg) from error
    except TypeError as error:
        msg = f"{call} cannot be made: {error}; {_remedy(str(error))}"
        raise TypeError(msg) from error


def _completing(decode: Decode[Any], of: Any) -> Decode[Any]:
    complete = None if of is None else completer(of, parts_of)
    if complete is None:
        return decode
    return lambda data: complete(decode(data))


def _remedy(reason: str) -> str:
    if "union" in reason and "custom type" not in reason:
        return (
            "a document must show which type it has: use msgspec.Struct classes with tag=True, "
            "or a pydantic model with a discriminator"
        )
    return "use a dataclass, TypedDict, NamedTuple, msgspec.Struct, pydantic model or typing form"


def _msgspec_encoder(found: Survey) -> Encode[Any]:
    return msgspec.json.Encoder(order="deterministic" if found.has_sets else None).encode


def _encoder(encode: Encode[T], root: type | None, call: str) -> Encode[T]:
    """Refuse values of another class: msgspec would write what it cannot read."""
    expected: type = root or object

    def encode_checked(value: T) -> bytes:
        if isinstance(value, expected):
            try:
                return encode(value)
            except _BAD_DATA as error:
                msg = f"cannot write JSON with {call}: {error}"
                raise SerializationError(msg) from error
        msg = f"{call} writes {type_name(expected)}; got {type(value).__qualname__}"
        raise TypeError(msg)

    return encode_checked


def _decoder(decode: Decode[T], name: str, reason: Callable[[Exception], str]) -> Decode[T]:
    def decode_explained(data: bytes) -> T:
        try:
            return decode(data)
        except _BAD_DATA as error:
            start = f"{data[:_SHOWN_BYTES]!r}{'...' if len(data) > _SHOWN_BYTES else ''}"
            msg = f"cannot read JSON as {name}: {reason(error)}; data: {start}"
            raise SerializationError(msg) from error

    return decode_explained


def _msgspec_reason(error: Exception) -> str:
    reason, _, path = str(error).partition(" - at `")
    return f"{reason} at {path.rstrip('`')}" if path else reason


def _pydantic_reason(error: Exception) -> str:
    errors = getattr(error, "errors", None)
    if errors is None:
        return str(error)
    first, *more = errors()
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    rest = f" (and {len(more)} more)" if more else ""
    return f"{first['msg']}{f' at ${path}' if path else ''}{rest}"
