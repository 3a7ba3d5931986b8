"""The buffer of suppress as its operator sees it: types over bytes."""

from __future__ import annotations

from typing import Any

from penstock._engine.state.codec import Codec, wrong_type
from penstock._engine.state.suppression_buffer import SuppressionBuffer


class SuppressionState:
    """The buffer with keys and values of the user. Attributes called for each record are plain
    functions.
    """

    __slots__ = (
        "_codec",
        "_name",
        "buffer",
        "decode_key",
        "decode_value",
        "encode_key",
        "pop_first",
        "put",
    )

    def __init__(self, name: str, codec: Codec, buffer: SuppressionBuffer) -> None:
        self._name = name
        self._codec = codec
        self.buffer = buffer
        self.encode_key = codec.encode_key
        self.decode_key = codec.decode_key
        self.decode_value = codec.decode_value
        self.put = buffer.put
        """`put(raw_key, time, new, old, record)` buffers a change."""
        self.pop_first = buffer.pop_first
        """`pop_first()` removes the row that is due first."""

    def encode_value(self, value: Any) -> bytes | None:
        """Return the bytes of a value, None for None."""
        if value is None:
            return None
        try:
            return self._codec.encode_value(value)
        except TypeError as error:
            raise wrong_type(self._name, "value", value, error) from error

    def read_first(self) -> None:
        """Read the row that is due first, if there is one."""
        for _, key in self.buffer.queue[:1]:
            self.decode_key(key)
            for value in filter(None, (self.buffer.held[key].old, self.buffer.held[key].new)):
                self.decode_value(value)

    def prior_value(self, key: Any) -> tuple[bool, Any]:
        """Return whether a row is held back, and the value that was emitted last."""
        held = self.buffer.held.get(self.encode_key(key))
        if held is None:
            return False, None
        return True, None if held.prior is None else self.decode_value(held.prior)
