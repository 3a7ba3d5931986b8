"""A server with its file, over TLS too."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from penstock import StreamsConfig
from penstock._engine.http.address_file import ServedAt, read_addresses
from penstock._engine.http.clients.client import HttpClient
from penstock._engine.http.serving import Serving, serve
from penstock.errors import ConfigError, StreamsError
from tests.unit.engine.http.shop import Shop


def served(folder: Path, **settings: Any) -> Serving:
    own = {f"penstock.http.{key}": value for key, value in settings.items()}
    config = StreamsConfig({"application.id": "a", "penstock.http.port": 0, **own})
    serving = serve(Shop(), config, folder)
    assert serving is not None
    return serving


def document(at: ServedAt, path: str) -> Any:
    with closing(HttpClient(at)) as client:
        return client.get(path)


def test_it_says_where_it_is_and_where_its_token(tmp_path: Path) -> None:
    serving = served(tmp_path)
    try:
        assert serving.line() == (f"state over HTTP: {serving.url} (token in {serving.token_file})")
        assert serving.figures() == {"address": serving.url, "tokenFile": serving.token_file}
        (found,) = read_addresses(tmp_path)
        assert document(found, "/health/ready")["ready"] is True
    finally:
        serving.close()
    assert read_addresses(tmp_path) == []
    with pytest.raises(StreamsError, match="does not answer"):
        document(found, "/stores")


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_on_all_interfaces_it_prints_one_that_others_reach_and_warns_of_the_token(
    tmp_path: Path, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        serving = served(tmp_path, address=address)
    except ConfigError:
        pytest.skip(f"this machine cannot listen at {address}")
    with closing(serving):
        line, console = serving.line(), serving.console_line(to_terminal=False)
        printed = re.fullmatch(
            r"state over HTTP: (\S+) on all interfaces of this machine \(token in .*\)", line
        )
        assert printed is not None, line
        assert console.startswith(f"console: {printed[1]}/ on all interfaces of this machine (")
        assert serving.console_link().startswith(f"{printed[1]}/#")
        (found,) = read_addresses(tmp_path)
        # What is printed can be used, also where names are refused.
        assert document(ServedAt(printed[1], found.token), "/health/ready")["ready"] is True
        with suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as own:
            own.connect(("192.0.2.1", 9))  # it fails on a machine without a network
            assert address == "::" or own.getsockname()[0] in printed[1]
    assert f"the HTTP server at {printed[1]} has no certificate: its token" in caplog.text


def test_on_all_interfaces_it_prints_the_name_that_the_settings_give(tmp_path: Path) -> None:
    config = StreamsConfig(
        {
            "application.id": "a",
            "application.server": "driver.example:1",
            "penstock.http.address": "0.0.0.0",
            "penstock.http.port": 0,
        }
    )
    serving = serve(Shop(), config, tmp_path)
    assert serving is not None
    with closing(serving):
        assert serving.console_link().startswith("http://driver.example:")


def test_on_loopback_it_warns_of_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(served(tmp_path)):
        assert caplog.text == ""


def test_without_a_token_it_says_so(tmp_path: Path) -> None:
    serving = served(tmp_path, access="no token on loopback")
    try:
        assert serving.line().endswith("(no token is needed)")
        assert document(ServedAt(serving.url), "/tasks")["tasks"]
    finally:
        serving.close()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
def test_a_certificate_makes_it_https(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop.example "
        f"-keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    serving = served(tmp_path / "state", certificate=str(certificate), **{"private.key": str(key)})
    try:
        assert serving.url.startswith("https://")
        (found,) = read_addresses(tmp_path / "state")
        assert document(found, "/stores/counts/key-01")["value"] == 1
        # A certificate that is not known is not trusted.
        with pytest.raises(StreamsError, match="CERTIFICATE_VERIFY_FAILED"):
            document(ServedAt(serving.url, found.token), "/stores")
    finally:
        serving.close()


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "penstock._engine.http.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ConfigError, match=r"pip install 'penstock\[http\]'"):
        served(tmp_path)


def test_where_its_file_cannot_be_written_it_says_what_to_check(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    folder = tmp_path / "state" / "a"
    with pytest.raises(ConfigError) as caught:
        served(folder)
    assert str(caught.value) == (
        f"the address of the HTTP server cannot be written to {folder}: Not a directory; check "
        "'state.dir', its free space and its permissions"
    )


def test_the_console_has_a_new_link_each_time_and_the_bare_address_without_a_token(
    tmp_path: Path,
) -> None:
    with closing(served(tmp_path / "a")) as serving:
        links = {serving.console_link() for _ in range(3)}
        assert len(links) == 3
        assert all(link.startswith(f"{serving.url}/#") for link in links)
        token = read_addresses(tmp_path / "a")[0].token
        assert not any(str(token) in link for link in links)
    with closing(served(tmp_path / "b", access="no token on loopback")) as serving:
        assert serving.console_link() == f"{serving.url}/"
        assert serving.console_line(to_terminal=False) == f"console: {serving.url}/"


def test_only_a_terminal_gets_a_link_that_lets_a_browser_in(tmp_path: Path) -> None:
    with closing(served(tmp_path)) as serving:
        assert serving.console_line(to_terminal=True).startswith(f"console: {serving.url}/#")
        kept = serving.console_line(to_terminal=False)
        assert kept == f"console: {serving.url}/ (token in {serving.token_file})"
