"""Kafka as a small Python program, so that a start takes a moment."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import distribution, java
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.local_broker.distribution import Distribution

# Stands in for Java: reads its settings, answers on its port, leaves the class archive at its end.
KAFKA = """\
import re, signal, socket, struct, sys
settings = dict(line.split("=", 1) for line in open("server.properties").read().splitlines())
open("arguments", "w").write("\\n".join(sys.argv[1:]))
def end(*_):
    for argument in sys.argv:
        if argument.startswith("-XX:ArchiveClassesAtExit="):
            open(argument.partition("=")[2], "w").write("archive")
    sys.exit(143)
signal.signal(signal.SIGTERM, end)
server = socket.create_server(("127.0.0.1", int(re.search(r":(\\d+)", settings["listeners"])[1])))
while True:
    connection, _ = server.accept()
    question = struct.unpack(">h", connection.recv(1024)[4:6])[0]
    reply = struct.pack(">ii", 0, 1) if question == 3 else struct.pack(">iih", 0, 0, 0)
    connection.sendall(struct.pack(">i", len(reply)) + reply)
    connection.close()
"""

Install = Callable[[str], Distribution]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Make Kafka the given Python program."""

    def make(program: str) -> Distribution:
        (tmp_path / "kafka.py").write_text(program)
        start = tmp_path / "java"
        start.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {tmp_path}/kafka.py "$@"\n')
        start.chmod(0o755)
        jar = tmp_path / "kafka.jar"
        if not jar.exists():
            jar.write_text("jar")
        folder = tmp_path / "kept"
        (folder / "formatted").mkdir(parents=True, exist_ok=True)
        (folder / "formatted" / "bootstrap.checkpoint").write_text("checkpoint")
        kafka = Distribution(java.Java(str(start), 17, "build"), (jar,), folder)
        monkeypatch.setattr(distribution, "fetch", lambda _: kafka)
        return kafka

    make(KAFKA)
    return make


@pytest.fixture
def broker(install: Install, tmp_path: Path) -> LocalBroker:
    return LocalBroker(tmp_path / "data")
