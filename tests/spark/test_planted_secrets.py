"""Secrets are planted in the settings of an application on Spark and looked for everywhere.

The broker wants a password over TLS and allows exactly what `penstock plan --acls` lists.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock._engine.planner.layout import draft_of, lay_out
from penstock._engine.planner.permissions import needs_of
from penstock.settings import StreamsConfig
from tests.broker.applications import write
from tests.broker.secured_broker import SecuredBroker, add_scram_user, secured_broker
from tests.broker.test_permissions import program

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SECRET = "planted-9f3b7c51d2"
KEY_SECRET = "planted-key-44e0a9"
PAGES = [
    "environment/",
    "StreamingQuery/",
    "SQL/",
    "jobs/",
    "stages/",
    "executors/",
    "executors/threadDump/?executorId=driver",
]
ANSWERS = ["environment", "jobs", "stages", "sql?details=true", "allexecutors"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    with secured_broker(tmp_path_factory.mktemp("planted"), []) as secured:
        add_scram_user(secured.broker, "planted", SECRET)
        for topic in ("lines", "counts"):
            secured.broker.create_topic(topic, 2)
        config = StreamsConfig(
            {"application.id": "planted", "processing.guarantee": "exactly_once_v2"}
        )
        layout = lay_out(draft_of(program(), "planted"), {"lines": 2, "counts": 2}, config)
        secured.allow("planted", needs_of(layout, config))
        write(secured.broker, "lines", [(None, word) for word in ["a", "b", "c", "a"]])
        yield secured


def environment(secured: SecuredBroker, temporary: Path, password: str) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]]),
        "TMPDIR": str(temporary),
        "SPARK_LOCAL_DIRS": str(temporary),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PLANTED_PASSWORD": SECRET,
        "PLANTED_KEY_PASSWORD": KEY_SECRET,
        "PENSTOCK_BOOTSTRAP_SERVERS": secured.servers("SASL"),
        "PENSTOCK_SECURITY_PROTOCOL": "SASL_SSL",
        "PENSTOCK_SSL_CA_LOCATION": str(secured.authority.certificate),
        "PENSTOCK_SASL_MECHANISM": "SCRAM-SHA-512",
        "PENSTOCK_SASL_USERNAME": "planted",
        "PENSTOCK_SASL_PASSWORD": password,
    }


def test_a_planted_secret_is_found_nowhere(guarded: SecuredBroker, tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in ("state", "events", "temporary")}
    for folder in folders.values():
        folder.mkdir()
    program = [sys.executable, str(ROOT / "tests" / "spark" / "planted_secrets.py")]
    with (tmp_path / "stdout").open("w") as out, (tmp_path / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [*program, str(folders["state"]), str(folders["events"])],
            env=environment(guarded, folders["temporary"], SECRET),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=errors,
            cwd=tmp_path,
            text=True,
            start_new_session=True,
        )
    try:
        found = where_shown(process, tmp_path)
        found |= in_files(tmp_path)  # the checkpoint, too, is there while it runs
        process.communicate("\n", timeout=90)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 0, (tmp_path / "stderr").read_text()[-3000:]
    assert list(folders["events"].iterdir()), "there is no event log to look at"
    assert found | in_files(tmp_path) == set()


def where_shown(process: subprocess.Popen[str], home: Path) -> set[str]:
    """Return the pages, answers and command lines that hold a secret."""
    out = home / "stdout"
    while (match := re.search(r"^LOOK (http://\S+)", out.read_text(), re.M)) is None:
        assert process.poll() is None, (home / "stderr").read_text()[-3000:]
        time.sleep(0.2)
    pages = match[1]
    (application,) = re.findall(r'"id" : "([^"]+)"', read(f"{pages}/api/v1/applications"))
    addresses = [f"{pages}/{page}" for page in PAGES] + [
        f"{pages}/api/v1/applications/{application}/{answer}" for answer in ANSWERS
    ]
    run = re.findall(
        r'href="(/StreamingQuery/statistics/?\?[^"]+)', read(f"{pages}/StreamingQuery/")
    )
    assert run, "the page of the query is not among Spark's"
    shown = {address: read(address) for address in [*addresses, f"{pages}{run[0]}"]}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.joinpath("cmdline").exists():
            try:
                command = entry.joinpath("cmdline").read_text(errors="replace")
            except OSError:
                continue  # it has just ended
            shown[f"command line of {command[:60]!r}"] = command
    return {place for place, text in shown.items() if holds_secret(text.encode())}


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return str(answer.read().decode(errors="replace"))


def in_files(home: Path) -> set[str]:
    """Return the files that hold a secret: output, event log, state, checkpoint, temporary ones."""
    return {
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and holds_secret(path.read_bytes())
    }


def holds_secret(content: bytes) -> bool:
    return SECRET.encode() in content or KEY_SECRET.encode() in content


def test_a_start_that_fails_does_not_show_the_password(
    guarded: SecuredBroker, tmp_path: Path
) -> None:
    """A whole traceback, as `python app.py` prints it."""
    text = "from penstock import *\nb = StreamsBuilder()\nb.stream('lines').to('counts')\n" + (
        "KafkaStreams(b.build(), StreamsConfig.from_environment({'application.id': 'planted',"
        " 'ssl.key.password': __import__('os').environ['PLANTED_KEY_PASSWORD']})).start()\n"
    )
    wrong = f"{SECRET}-wrong"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", text],
        env=environment(guarded, tmp_path, wrong),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "invalid credentials" in done.stderr
    assert "look at 'sasl.username' and 'sasl.password'" in done.stderr
    assert not holds_secret((done.stdout + done.stderr).encode())
