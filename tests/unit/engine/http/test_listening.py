"""Settings of the server: safe unless the user says otherwise, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import StreamsConfig
from penstock._engine.http.listening import Listening, listening_of, served_anywhere
from penstock.errors import ConfigError


def listening(**settings: Any) -> Listening | None:
    own = {f"penstock.http.{key}": value for key, value in settings.items()}
    return listening_of(StreamsConfig({"application.id": "a", **own}))


def test_there_is_no_server_unless_it_has_a_port() -> None:
    assert listening(address="0.0.0.0") is None


def test_by_default_it_listens_on_loopback_with_a_new_token() -> None:
    one, other = listening(port=0), listening(port="0")
    assert one is not None
    assert other is not None
    assert (one.address, one.port, one.scheme) == ("127.0.0.1", 0, "http")
    assert one.access.token is not None
    assert len(one.access.token) >= 32
    assert one.access.token != other.access.token


def test_a_token_may_be_given_or_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n")
    given = listening(port=1, token="0123456789abcdef")
    read = listening(port=1, **{"token.file": str(file)})
    assert given is not None
    assert read is not None
    assert given.access.token == read.access.token == "0123456789abcdef"
    assert read.token_file == file


def test_no_token_is_asked_where_the_user_says_so_in_words() -> None:
    near = listening(port=1, access="no token on loopback")
    far = listening(port=1, access="no token anywhere", address="0.0.0.0")
    assert near is not None
    assert far is not None
    assert near.access.token is None
    assert far.access.token is None


def test_other_names_may_be_given() -> None:
    found = listening(port=1, address="::", hosts="Shop.example, other")
    assert found is not None
    assert found.access.hosts == {"shop.example", "other", "::"}


def test_a_name_with_its_port_is_that_name() -> None:
    found = listening(port=1, hosts="driver:8080, [::1]:80,,Shop.example., fe80::1")
    assert found is not None
    assert found.access.hosts == {"driver", "::1", "shop.example", "fe80::1", "127.0.0.1"}
    found.access.check_host({"host": "driver:8080"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"access": "no token on loopback", "address": "0.0.0.0"},
            "others than this machine could read the state of the application without a token",
        ),
        ({"access": "none"}, "must be 'token' or 'no token on loopback' or 'no token anywhere'"),
        ({"port": 70_000}, "must be at most 65535"),
        ({"port": -1}, "must be a whole number of at least 0"),
        ({"token": "short"}, "must have a token of 16 to 1,000 characters"),
        ({"token": "with a blank in the middle"}, "must have a token of 16"),
        ({"token.file": "/nowhere"}, "the file /nowhere cannot be read: No such file"),
        ({"certificate": "/nowhere"}, "the file /nowhere cannot be read"),
        ({"private.key": __file__}, "needs 'penstock.http.certificate'"),
        ({"token": "0123456789abcdef", "token.file": __file__}, "not both"),
        ({"hosts": "driver, https://driver"}, "got 'https://driver'; leave out the scheme"),
        ({"hosts": "driver/state"}, "must be host names with commas between them"),
        ({"hosts": "driver other"}, "must be host names"),
        ({"hosts": "driver:http"}, "must be host names"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        listening(**{"port": 0, **settings})
    assert "0123456789abcdef" not in str(refused.value)


def test_the_console_takes_any_port_unless_one_is_set() -> None:
    free = served_anywhere(StreamsConfig({"application.id": "a", "poll.ms": 7}))
    assert free.as_mapping()["penstock.http.port"] == 0
    assert free.as_mapping()["poll.ms"] == 7
    chosen = StreamsConfig({"application.id": "a", "penstock.http.port": 8080})
    assert served_anywhere(chosen) is chosen
