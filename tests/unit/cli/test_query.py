"""`penstock query` against a real server."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from penstock import StreamsConfig
from penstock._engine.http.serving import Serving, serve
from penstock.cli import _parsed, build_parser, main, query
from tests.unit.engine.http.shop import KEYS, Shop


class Running:
    """An application that serves HTTP, with its state in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        config = StreamsConfig({"application.id": "shop", "penstock.http.port": 0})
        self.shop = Shop()
        serving = serve(self.shop, config, folder / "shop")
        assert serving is not None
        self.serving: Serving = serving


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    made = Running(tmp_path_factory.mktemp("state"))
    yield made
    made.serving.close()


def lines(running: Running, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    code = main(["query", "shop", *words, "--state-dir", str(running.folder)])
    shown = capsys.readouterr()
    assert code == (0 if shown.out else 1), shown.err
    return shown.out.splitlines()


def test_the_stores_are_listed(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    header, first, *_ = lines(running, capsys)
    assert header.split()[:2] == ["name", "kind"]
    assert first.split()[:2] == ["counts", "key_value"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["counts", "key-03"], ["key     value  timestamp", "key-03      3  1003"]),
        (["counts", ""], ["key  value  timestamp", "        26  1026"]),
        (["counts", "absent"], []),
        (["numbers", "--from=-2"], ["key  value", '-2   {"is": 0}', '-1   {"is": 1}']),
        (["raw", "AP8="], ["key   value", "AP8=  AQI="]),
        (
            ["windows", "a", "--time-from", "1000", "--time-to", "1970-01-01T00:00:02Z"],
            ["key  start  end   value", "a    1000   2000      1", "a    2000   3000      2"],
        ),
        (
            ["versions", "a", "--as-of", "1025"],
            ["key  value  timestamp  valid_to", "a    v2     1020       1030"],
        ),
    ],
)
def test_rows_are_a_table(
    words: list[str], expected: list[str], running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines(running, capsys, *words) == expected


@pytest.mark.parametrize(
    "line",
    [
        "query shop --state-dir {} counts key-03",
        "query shop counts --state-dir {} key-03",
        "query --state-dir {} shop counts key-03",
        "query shop --limit 5 --state-dir {} counts -- key-03",
        "query --state-dir {} -- shop counts key-03",
    ],
)
def test_options_may_stand_anywhere(
    line: str, running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.format(running.folder).split()) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["key-03", "3", "1003"]


@pytest.mark.parametrize(
    ("line", "store", "key"),
    [
        ("query --json -- shop numbers --all", "numbers", "--all"),
        ("query --limit 5 -- shop numbers --to=5", "numbers", "--to=5"),
        ("query --limit 5 -- shop numbers -x", "numbers", "-x"),
        ("query shop --json -- numbers", "numbers", None),
        ("query shop numbers -5 --json -- ", "numbers", "-5"),
        ("query -- shop numbers -x", "numbers", "-x"),
    ],
)
def test_words_behind_two_dashes_are_no_options(line: str, store: str, key: str | None) -> None:
    given = _parsed(build_parser(), line.split())
    assert (given.application, given.store, given.key) == ("shop", store, key)
    assert (given.all, given.to, given.json) == (False, None, "--json" in line)


def test_help_and_errors_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["query", "--help", "--", "shop"])
    assert capsys.readouterr().out.startswith("usage: penstock query [-h]")
    with pytest.raises(SystemExit, match="2"):
        main(["query", "--limit", "x", "--", "shop"])
    assert capsys.readouterr().err.startswith("usage: penstock query [-h]")
    with pytest.raises(SystemExit, match="2"):
        main(["query", "--jsn", "--", "shop"])
    assert "unrecognized arguments: --jsn; did you mean --json?" in capsys.readouterr().err


def test_a_key_that_begins_with_a_dash_comes_after_two(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--state-dir", str(running.folder)]
    assert main(["query", "shop", "numbers", *place, "--", "--json"]) == 1
    assert "the key '--json' is none of this store" in capsys.readouterr().err
    assert main(["query", *place, "shop", "numbers", "--", "-2"]) == 0
    with pytest.raises(SystemExit, match="2"):
        main(["query", "shop", "counts", "a", *place, "--", "b"])
    said = capsys.readouterr().err
    assert said.startswith("usage: penstock query [-h]")
    assert said.endswith("penstock query: error: unrecognized arguments: b\n")


def test_rows_are_json_in_lines(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(running, capsys, "counts", "--prefix", "key-", "--json", "--all")
    assert [json.loads(line)["key"] for line in shown] == KEYS
    code = main(
        ["query", "shop", "counts", "--limit", "3", "--json", "--state-dir", str(running.folder)]
    )
    shown_too = capsys.readouterr()
    assert (code, len(shown_too.out.splitlines())) == (0, 3)
    assert "there are more than 3 rows: --limit N or --all" in shown_too.err


def test_an_address_and_a_token_do_as_well(
    running: Running, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    token_file = running.serving.token_file
    assert token_file is not None
    plain = tmp_path / "token"
    plain.write_text(json.loads(Path(token_file).read_text())["token"] + "\n")
    for file in (token_file, str(plain)):
        words = ["--address", running.serving.url, "--token-file", file]
        assert main(["query", "shop", "counts", "key-01", *words]) == 0
    assert main(["query", "shop", "counts", "key-01", "--address", running.serving.url]) == 1
    assert "the token is missing or wrong" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "has no store 'nothing'; its stores: 'counts'"),
        (["numbers", "x"], "the key 'x' is none of this store"),
        (["counts", "--time-from", "5"], "there is no parameter 'time_from' here"),
    ],
)
def test_what_the_server_refuses_is_said(
    words: list[str], message: str, running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", "shop", *words, "--state-dir", str(running.folder)]) == 1
    assert message in capsys.readouterr().err


def test_an_application_that_does_not_run_is_not_found_without_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    monkeypatch.delenv("PENSTOCK_BOOTSTRAP_SERVERS", raising=False)
    assert main(["query", "shop", "counts", "--state-dir", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "run it with --set penstock.http.port=0" in said
    assert "to read its changelogs, say --bootstrap-servers HOST:PORT" in said


def test_a_server_that_is_gone_does_not_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "shop", "--address", "http://127.0.0.1:9"]) == 1
    assert "the application at http://127.0.0.1:9 does not answer" in capsys.readouterr().err
    assert main(["query", "shop", "--address", "ftp://somewhere"]) == 1
    assert "an address must look like" in capsys.readouterr().err


def left_behind(folder: Path, url: str) -> None:
    """Make the file of a killed process, whose number is another program's now: pytest's."""
    path = folder / "shop" / "http" / "killed.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"url": url, "token": "x" * 16, "certificate": None, "process": os.getpid()}
    path.write_text(json.dumps(document))


def test_a_process_that_does_not_answer_is_passed_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Running(tmp_path)
    try:
        left_behind(tmp_path, "http://127.0.0.1:9")
        for words in (["query", "shop", "counts", "key-03"], ["query", "shop"]):
            assert main([*words, "--state-dir", str(tmp_path)]) == 0
            assert capsys.readouterr().err == (
                "the application at http://127.0.0.1:9 does not answer: [Errno 111] Connection "
                f"refused; process {os.getpid()} is passed by\n"
            )
    finally:
        made.serving.close()


@pytest.mark.parametrize("command", ["query", "top"])
@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "nowhere"])
def test_without_one_that_answers_it_is_not_found(
    command: str,
    url: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    monkeypatch.delenv("PENSTOCK_BOOTSTRAP_SERVERS", raising=False)
    left_behind(tmp_path, url)
    assert main([command, "shop", "--state-dir", str(tmp_path)]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert url in first
    assert first.endswith(f"; process {os.getpid()} is passed by")
    assert second.startswith("penstock: no process on this machine serves the application 'shop'")


def test_changelogs_are_read_if_no_process_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left_behind(tmp_path, "http://127.0.0.1:9")
    cluster = ["--bootstrap-servers", "127.0.0.1:1", "--set", "task.timeout.ms=0"]
    assert main(["query", "shop", "counts", "a", "--state-dir", str(tmp_path), *cluster]) == 1
    first, cluster_line, last = capsys.readouterr().err.splitlines()
    assert first.endswith(f"; process {os.getpid()} is passed by")
    assert cluster_line == "using the cluster at 127.0.0.1:1, named by the command line"
    assert last.startswith("penstock: the Kafka cluster at 127.0.0.1:1 does not answer")


@pytest.mark.parametrize(
    "content", [b"\xe9\xff\x00secret", b"two words", b"first\nsecond\n", b"", b'{"token": 5}']
)
@pytest.mark.parametrize("command", ["query", "top"])
def test_a_token_file_without_a_token_is_refused(
    command: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    words = ["--address", "http://127.0.0.1:9", "--token-file", str(file)]
    assert main([command, "shop", *words]) == 1
    assert capsys.readouterr().err == (
        f"penstock: the token file {file} must have one token, ASCII without blanks, or be the "
        "file that the application writes when it starts\n"
    )


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:99999", "http://[::1", "http://a b:1", "https://a..b:1", "http://a\udcff"],
)
def test_an_address_that_is_none_is_refused(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", "shop", "--address", address]) == 1
    assert "an address must look like http://127.0.0.1:8080; got" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["\udcff"], ["s", "\udcff"], ["s", "--from", "\udcff"], ["s", "--prefix", "a\udcff"]],
)
def test_a_key_that_is_no_utf_8_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["query", "shop", *words, "--address", "http://127.0.0.1:9"])
    assert "it must be UTF-8; got b'" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["counts", "--to", "key-02"], ["windows", "a"]])
def test_pages_of_stale_copies_say_how_far_they_are_behind(
    words: list[str], running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*more: str) -> str:
        place = ["--state-dir", str(running.folder)]
        assert main(["query", "shop", *words, *more, *place]) == 0
        return capsys.readouterr().err

    assert said() == ""
    assert said("--stale-ok", "--limit", "2").endswith(
        "no copy that answered is behind its changelog\n"
    )
    running.shop.restored = False
    try:
        assert said("--stale-ok") == (
            "the copies that answered are behind their changelogs, by up to 1,234 offsets\n"
        )
    finally:
        running.shop.restored = True


def test_a_missing_key_of_a_stale_copy_says_how_far_that_is_behind(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["query", "shop", "counts", "none", "--stale-ok", "--state-dir", str(running.folder)]
    assert main(words) == 1
    assert "1,234" not in capsys.readouterr().err
    running.shop.restored = False
    try:
        assert main(words) == 1
        assert "by up to 1,234 offsets" in capsys.readouterr().err
    finally:
        running.shop.restored = True


STEERING = "ann\x1b]0;owned\x07\x9b2J\x7f\u202e\r\nnext\ud800 \U0001f469\u200d\U0001f4bb"


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        return True


def test_a_table_does_not_steer_the_terminal() -> None:
    with redirect_stdout(io.StringIO()) as out:
        query._print(iter([{"key": STEERING, "value": {"a": STEERING}}]), as_json=False)
    shown = out.getvalue()
    assert len(shown.splitlines()) == 2
    assert all(one.isprintable() or one in "\n\u200d" for one in shown)
    assert r"ann\x1b]0;owned\x07\x9b2J\x7f\u202e\r\nnext\ud800" in shown
    assert r"ann\u001b]0;owned\u0007\u009b2J\u007f\u202e\r\nnext\ud800" in shown
    assert "\U0001f469\u200d\U0001f4bb" in shown


@pytest.mark.parametrize("screen", [Terminal(), io.StringIO()])
def test_json_does_not_steer_a_terminal_and_is_the_same_row(screen: io.StringIO) -> None:
    row = {"key": STEERING, "value": [STEERING]}
    with redirect_stdout(screen):
        query._print(iter([row]), as_json=True)
    (line,) = screen.getvalue().split("\n")[:-1]
    assert json.loads(line) == row
    is_safe = all(one.isprintable() or one == "\u200d" for one in line)
    assert is_safe == screen.isatty()
