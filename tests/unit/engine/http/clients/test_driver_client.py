"""Questions from one driver to another, through a real server: token, TLS, and who is asked."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from penstock import StreamsConfig
from penstock._engine.control.drivers import Driver
from penstock._engine.control.forwarding import DriverNotAsked
from penstock._engine.http.clients import driver_client as client_module
from penstock._engine.http.clients.driver_client import HttpDriverClient, own_driver
from penstock._engine.http.serving import Serving, serve
from penstock._engine.queries.questions import Question, Read
from penstock.errors import ConfigError
from tests.unit.engine.http.shop import Shop

TOKEN: dict[str, Any] = {"token": "a-token-of-16-characters"}
ALL = Question(3, "counts", Read("range"), (0,), rows_max=10)


def config_of(**settings: Any) -> StreamsConfig:
    own = {f"penstock.http.{name.replace('_', '.')}": value for name, value in settings.items()}
    return StreamsConfig({"application.id": "a", **own})


@contextmanager
def served(folder: Path, shop: Shop, **settings: Any) -> Iterator[Driver]:
    """Serve a shop; yield it as the driver that it announces."""
    config = config_of(port=0, **settings)
    serving = serve(shop, config, folder)
    assert serving is not None
    try:
        yield replace(own_driver(config, serving), id="here")
    finally:
        serving.close()


def refused(driver: Driver, question: Question = ALL, **settings: Any) -> DriverNotAsked:
    with closing(HttpDriverClient(config_of(**settings))) as client:
        with pytest.raises(DriverNotAsked) as raised:
            client.ask(driver, question)
        return raised.value


def test_a_driver_answers_with_pages_over_one_connection(tmp_path: Path) -> None:
    with (
        served(tmp_path, Shop(), **TOKEN) as driver,
        closing(HttpDriverClient(config_of(**TOKEN))) as client,
    ):
        answer = client.ask(driver, ALL)
        found = [row[0] for row in answer.parts[0].rows]
        assert (answer.number, len(found)) == (3, 10)
        while (cursor := answer.parts[0].cursor) is not None:
            answer = client.ask(driver, structs.replace(ALL, cursor=cursor, partitions=()))
            found += [row[0] for row in answer.parts[0].rows]
        assert len(found) == 29
        assert found == sorted(found)
        assert [len(idle) for idle in client._idle.values()] == [1]


def test_a_connection_that_the_server_closed_is_opened_again(tmp_path: Path) -> None:
    with (
        served(tmp_path, Shop(), **TOKEN) as driver,
        closing(HttpDriverClient(config_of(**TOKEN))) as client,
    ):
        for _ in range(2):
            assert client.ask(driver, ALL).parts[0].rows
            (idle,) = client._idle[str(driver.url)]
            idle.connection.sock.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("given", [{}, {"token": "another-token-of-the-world"}])
def test_a_wrong_token_says_what_to_set(tmp_path: Path, given: dict[str, Any]) -> None:
    with served(tmp_path, Shop(), **TOKEN) as driver:
        error = refused(driver, **given)
    assert not error.again
    assert f"driver {driver.name} at {driver.url}" in str(error)
    assert "set the same 'penstock.http.token'" in str(error)


def test_a_token_that_was_made_for_this_run_is_sent_to_none(tmp_path: Path) -> None:
    with (
        served(tmp_path, Shop(), access="no token on loopback") as driver,
        closing(HttpDriverClient(config_of(port=0))) as client,
    ):
        assert client._token is None
        assert client.ask(driver, ALL).parts[0].rows


def test_a_driver_without_a_server_is_named(tmp_path: Path) -> None:
    error = refused(own_driver(config_of(), None))
    assert not error.again
    assert "which has no HTTP server; set 'penstock.http.port'" in str(error)


def test_loopback_of_another_machine_is_not_asked(tmp_path: Path) -> None:
    with served(tmp_path, Shop(), **TOKEN) as driver:
        error = refused(replace(driver, machine="elsewhere"), **TOKEN)
    assert not error.again
    assert "only its own machine reaches" in str(error)


def test_another_driver_at_the_address_does_not_answer_for_it(tmp_path: Path) -> None:
    with served(tmp_path, Shop(), **TOKEN) as driver:
        error = refused(replace(driver, id="there"), **TOKEN)
    assert error.again
    assert "421" in str(error)


def test_an_application_that_ends_is_asked_again_later(tmp_path: Path) -> None:
    shop = Shop()
    shop.state = "PENDING_SHUTDOWN"
    with served(tmp_path, shop, **TOKEN) as driver:
        assert refused(driver, **TOKEN).again
    gone = refused(driver, **TOKEN)
    assert gone.again
    assert "does not answer" in str(gone)


def test_a_server_that_says_nothing_is_left_when_the_time_is_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        error = refused(Driver("there", "m/1", url=url), structs.replace(ALL, seconds=0.6))
    assert error.again
    assert "timed out" in str(error)
    assert time.monotonic() - begun < 2.0


@pytest.mark.parametrize(("seconds", "given"), [(12.0, 10.0), (3.0, 2.0), (0.0, 0.0)])
def test_a_driver_gets_less_time_so_that_it_can_say_why_not(
    tmp_path: Path, seconds: float, given: float
) -> None:
    shop: Any = Shop()
    asked: list[Question] = []
    answer = shop.answer

    def answered(question: Question) -> Any:
        asked.append(question)
        return answer(question)

    shop.answer = answered
    with (
        served(tmp_path, shop, **TOKEN) as driver,
        closing(HttpDriverClient(config_of(**TOKEN))) as client,
    ):
        client.ask(driver, structs.replace(ALL, seconds=seconds))
    assert [one.seconds for one in asked] == [given]


def test_what_is_no_answer_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop: Any = Shop()
    shop.answer = lambda question: "text"
    with served(tmp_path, shop, **TOKEN) as driver:
        assert "sent no answer" in str(refused(driver, **TOKEN))
        monkeypatch.setattr(client_module, "ANSWER_BYTES_MAX", 1)
        assert "more than 1 bytes" in str(refused(driver, **TOKEN))
        monkeypatch.setattr(client_module, "QUESTION_BYTES_MAX", 1)
        assert not refused(driver, **TOKEN).again


@pytest.mark.parametrize("url", ["ftp://h:1", "http://", "gopher", "file:///etc/passwd", ""])
def test_only_addresses_of_servers_are_asked(url: str) -> None:
    assert not refused(Driver("there", "m/1", url=url), **TOKEN).again


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the settings of two certificates, for a name that is not this machine's."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    folder, made = tmp_path_factory.mktemp("tls"), []
    for name in ("one", "two"):
        key, certificate = folder / f"{name}.key", folder / f"{name}.pem"
        subprocess.run(
            f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop.example "
            f"-keyout {key} -out {certificate}".split(),
            check=True,
            capture_output=True,
        )
        made.append({"certificate": str(certificate), "private_key": str(key)})
    return made


def test_drivers_that_share_a_certificate_trust_each_other_and_no_other(
    tmp_path: Path, certificates: list[dict[str, Any]]
) -> None:
    one, two = certificates
    with served(tmp_path, Shop(), **TOKEN, **one) as driver:
        assert str(driver.url).startswith("https://")
        with closing(HttpDriverClient(config_of(**TOKEN, **one))) as client:
            assert client.ask(driver, ALL).parts[0].rows
        for others in (two, {}):
            error = refused(driver, **TOKEN, **others)
            assert not error.again
            assert "CERTIFICATE_VERIFY_FAILED" in str(error)


def test_a_token_does_not_leave_tls(tmp_path: Path, certificates: list[dict[str, Any]]) -> None:
    with served(tmp_path, Shop(), **TOKEN) as driver:
        error = refused(driver, **TOKEN, **certificates[0])
    assert not error.again
    assert "set 'penstock.http.certificate' for all drivers" in str(error)


def test_a_file_without_a_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    with pytest.raises(ConfigError, match="there is no certificate in"):
        HttpDriverClient(config_of(certificate=str(tmp_path / "empty.pem")))


@pytest.mark.parametrize(
    ("address", "server", "url", "everywhere"),
    [
        ("127.0.0.1", None, "http://127.0.0.1:", False),
        ("127.0.0.1", "node-1:9999", "http://127.0.0.1:", False),
        ("0.0.0.0", None, "http://127.0.0.1:", False),
        ("0.0.0.0", "node-1:9999", "http://node-1:", True),
        ("0.0.0.0", "localhost:9999", "http://127.0.0.1:", False),
        ("0.0.0.0", "[fd00::1]:9999", "http://[fd00::1]:", True),
    ],
)
def test_a_driver_announces_where_it_is_reached(
    tmp_path: Path, address: str, server: str | None, url: str, everywhere: bool
) -> None:
    given = {} if server is None else {"application.server": server}
    config = StreamsConfig({**config_of(port=0, address=address).given(), **given})
    serving = Serving(Shop(), config, tmp_path)
    try:
        driver = own_driver(config, serving)
        assert str(driver.url) == url + serving.url.rpartition(":")[2]
        assert (driver.machine is None) is everywhere
        assert driver.host is not None
        # Java shows the application.server as it is.
        assert driver.host[1] == (9999 if server else int(serving.url.rpartition(":")[2]))
    finally:
        serving.close()
    assert own_driver(config, None).host == (driver.host if server else None)
