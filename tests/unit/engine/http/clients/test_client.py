"""What the command line makes of answers, also of servers of others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from penstock._engine.http.address_file import ServedAt
from penstock._engine.http.clients.client import HttpClient, document_of
from penstock.cli import main
from penstock.errors import QueryError, StoreNotReadyError, StreamsError


class Stranger(HTTPServer):
    """A server that answers all requests the same."""

    said = (200, b"{}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    server: Stranger

    def do_GET(self) -> None:
        status, body = self.server.said
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    server = Stranger(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("words", [[], ["counts"], ["counts", "key"]])
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b'{"error": "Not Found"}'),
        (404, b'{"error": {"message": "has no such key"}}'),
        (503, b'"later"'),
        (502, b"<html>Bad Gateway</html>"),
        (200, b"<html>Welcome</html>"),
        (200, b'{"ok": true}'),
        (200, b"[1]"),
        (200, b"null"),
        (200, b'{"rows": [1]}'),
    ],
)
def test_a_server_of_others_is_none_of_penstock(
    words: list[str],
    status: int,
    body: bytes,
    stranger: Stranger,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stranger.said = status, body
    assert main(["query", "shop", *words, "--address", stranger.url]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"what answers at {stranger.url} is no Penstock server" in shown.err


def test_the_figures_of_a_server_of_others_are_none(
    stranger: Stranger, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger.said = 200, b'{"ok": true}'
    assert main(["top", "shop", "--address", stranger.url]) == 1
    assert "is no Penstock server" in capsys.readouterr().err


def test_a_long_answer_of_others_is_cut(stranger: Stranger) -> None:
    stranger.said = 200, b'"' + b"x" * 10_000 + b'"'
    client = HttpClient(ServedAt(stranger.url))
    with pytest.raises(StreamsError, match="is no Penstock server") as raised:
        list(client.range("counts", {}))
    assert len(str(raised.value)) < 600
    client.close()


@pytest.mark.parametrize(("content", "why"), [(None, "No such file"), ("none", "certificate")])
def test_a_certificate_that_cannot_be_read_is_named(
    content: str | None, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "gone.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(StreamsError, match=f"{file}, cannot be read: .*{why}"):
        HttpClient(ServedAt("https://127.0.0.1:1", certificate=str(file)))


def test_a_missing_key_is_known_by_its_code() -> None:
    def answered(status: int, code: str) -> object:
        error = {"error": {"code": code, "message": "store 'a' has no such key as 'b'"}}
        return document_of(status, error, "here")

    assert answered(404, "no_such_key") is None
    with pytest.raises(QueryError):
        answered(404, "not_found")
    with pytest.raises(StoreNotReadyError):
        answered(503, "not_ready")
    with pytest.raises(StoreNotReadyError):
        document_of(503, {"ready": False, "reasons": []}, "here")
