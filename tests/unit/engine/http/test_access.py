"""Hosts and tokens."""

from __future__ import annotations

import pytest

from penstock._engine.http.access import Access, host_name, is_loopback
from penstock._engine.http.replies import Refusal


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:80", "localhost"),
        ("localhost.", "localhost"),
        ("127.0.0.1:8080", "127.0.0.1"),
        ("[::1]:80", "::1"),
        ("[::1]", "::1"),
        ("[::1]x", None),
        ("::1", None),
        ("a:b", None),
        (":80", None),
        ("", None),
    ],
)
def test_the_name_in_a_host_header(header: str, name: str | None) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("localhost:1", True),
        ("10.1.2.3:80", True),
        ("shop.example", True),
        ("SHOP.example.:80", True),
        ("other.example", False),
        ("127.0.0.1.other.example", False),
        ("localhost.other.example", False),
        ("", False),
    ],
)
def test_names_that_are_not_known_are_refused(host: str, served: bool) -> None:
    access = Access(hosts=frozenset({"shop.example"}))
    if served:
        access.check_host({"host": host})
        return
    with pytest.raises(Refusal, match="this server is not called"):
        access.check_host({"host": host})


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("shop.example", False),
    ],
)
def test_only_this_machine_reaches_loopback(address: str, loopback: bool) -> None:
    assert is_loopback(address) is loopback


def test_a_token_is_not_shown() -> None:
    assert "secret" not in repr(Access("secret"))
