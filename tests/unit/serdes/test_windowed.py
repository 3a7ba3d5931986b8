"""Windowed keys have Java's bytes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Windowed, serdes
from penstock.errors import ConfigError, SerializationError, TopologyError
from penstock.serdes import HeaderPairs, Serde
from penstock.serdes.windowed import window_bytes_of
from penstock.serdes.wrapping import completed

TEXT = serdes.string()
TIMES = st.integers(0, 2**62)


class OfTopic(Serde[str]):
    """A serde that wants to know topic and headers."""

    def serialize(self, topic: str, value: str | None, headers: HeaderPairs = ()) -> bytes:
        return f"{topic}/{len(headers)}/{value}".encode()

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> str:
        assert data is not None
        return data.decode().removeprefix(f"{topic}/{len(headers)}/")


def no_default() -> Serde[Any]:
    msg = "there is no default"
    raise ConfigError(msg)


def ready(serde: Serde[Any]) -> Serde[Any]:
    """Return a serde as tasks use it, the default key serde being that of text."""
    return completed(serde, lambda: TEXT, no_default)


def test_a_time_window_has_its_start_behind_the_key() -> None:
    data = serdes.time_windowed(TEXT, 10).serialize("t", Windowed("a", 258, 268))
    assert data == b"a\0\0\0\0\0\0\1\2"


def test_a_session_has_its_end_and_its_start_behind_the_key() -> None:
    data = serdes.session_windowed(TEXT).serialize("t", Windowed("a", 1, 258))
    assert data == b"a" + b"\0\0\0\0\0\0\1\2" + b"\0\0\0\0\0\0\0\1"


@given(st.text(), TIMES, st.integers(1, 2**62))
def test_time_windowed_keys_come_back(key: str, start: int, size: int) -> None:
    keys = serdes.time_windowed(TEXT, size)
    windowed = Windowed(key, start, min(start + size, 2**63 - 1))
    assert keys.decode(keys.encode(windowed)) == windowed
    assert ready(keys).decode(ready(keys).encode(windowed)) == windowed


@given(st.text(), TIMES, TIMES)
def test_session_windowed_keys_come_back(key: str, start: int, end: int) -> None:
    keys = serdes.session_windowed(TEXT)
    assert keys.decode(keys.encode(Windowed(key, start, end))) == Windowed(key, start, end)


def test_an_unlimited_window_ends_with_time() -> None:
    keys = serdes.time_windowed(TEXT, 2**63 - 1)
    assert keys.decode(keys.encode(Windowed("a", 7, 2**63 - 1))) == Windowed("a", 7, 2**63 - 1)


def test_keys_of_a_changelog_have_a_sequence_number_too() -> None:
    keys = serdes.time_windowed(TEXT, 10, changelog=True)
    assert keys.deserialize("t", b"a\0\0\0\0\0\0\0\5\0\0\0\0") == Windowed("a", 5, 15)


@pytest.mark.parametrize("keys", [serdes.time_windowed(TEXT, 10), serdes.session_windowed(TEXT)])
def test_no_bytes_are_no_key(keys: Serde[Any]) -> None:
    assert keys.serialize("t", None) is None
    assert keys.deserialize("t", None) is None
    assert keys.deserialize("t", b"") is None
    assert ready(keys).deserialize("t", b"") is None


@pytest.mark.parametrize("keys", [serdes.time_windowed(TEXT, 10), serdes.session_windowed(TEXT)])
def test_wrong_bytes_and_values_are_refused(keys: Serde[Any]) -> None:
    with pytest.raises(SerializationError, match="cannot read windowed key: expected at least"):
        keys.decode(b"short")
    with pytest.raises(TypeError, match="writes Windowed; got str"):
        keys.encode("a")


def test_a_key_serde_may_want_to_know_the_topic() -> None:
    for keys in (serdes.time_windowed(OfTopic(), 10), serdes.session_windowed(OfTopic())):
        data = keys.serialize("t", Windowed("a", 5, 15), (("h", b""),))
        assert data is not None
        assert data.startswith(b"t/1/a\0")
        assert keys.deserialize("t", data, (("h", b""),)) == Windowed("a", 5, 15)
        assert keys.deserialize("t", None) is None
        assert keys.serialize("t", None) is None
        with pytest.raises(TypeError, match="writes Windowed"):
            keys.serialize("t", "a")  # type: ignore[arg-type]


def test_a_key_serde_that_is_left_out_is_the_default_one() -> None:
    both: list[Serde[Any]] = [serdes.time_windowed(None, 10), serdes.session_windowed()]
    for keys in both:
        assert ready(keys).decode(ready(keys).encode(Windowed("a", 5, 15))).key == "a"
        with pytest.raises(SerializationError, match="lacks the serde of its keys"):
            keys.encode(Windowed("a", 5, 15))
        with pytest.raises(ConfigError, match="there is no default"):
            completed(keys, no_default, no_default)


def test_the_bytes_of_the_window_can_be_cut_off() -> None:
    for keys in (serdes.time_windowed(TEXT, 10), serdes.session_windowed(TEXT)):
        data = ready(keys).encode(Windowed("key", 5, 15))
        assert data[: -window_bytes_of(ready(keys))] == b"key"
    assert window_bytes_of(TEXT) == 0


def test_windowed_serdes_are_what_they_were_made_of() -> None:
    keys: Serde[Any] = serdes.time_windowed(TEXT, 10)
    assert keys == serdes.time_windowed(TEXT, 10)
    assert keys != serdes.time_windowed(TEXT, 11)
    assert keys != serdes.session_windowed(TEXT)
    assert keys != TEXT
    assert hash(keys) == hash(serdes.time_windowed(TEXT, 10))
    assert pickle.loads(pickle.dumps(keys)) == keys
    assert repr(keys) == repr(ready(keys)) == "serdes.time_windowed(serdes.string(), 10)"
    assert repr(serdes.time_windowed(None, 10, changelog=True)) == (
        "serdes.time_windowed(None, 10, changelog=True)"
    )
    assert repr(serdes.session_windowed(TEXT)) == "serdes.session_windowed(serdes.string())"


def test_windows_have_a_size() -> None:
    with pytest.raises(TopologyError, match="window_size must be at least 1 ms; got 0"):
        serdes.time_windowed(TEXT, 0)
