"""`penstock jvm-options`: one line, which a JVM understands."""

from __future__ import annotations

import subprocess

import pytest

from penstock._engine.kafka.local_broker import java
from penstock.cli import main


def test_a_jvm_starts_with_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jvm-options"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(("-XX:SharedArchiveFile=", "-XX:ArchiveClassesAtExit="))
    # It is not to write the archive of a JVM without Spark.
    options = [option for option in line.split() if not option.startswith("-XX:ArchiveClasses")]
    command = [java.find().path, *options, "-version"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_with_an_agent_a_jvm_writes_no_archive(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-javaagent:/opt/agent.jar")
    assert main(["jvm-options"]) == 0
    assert capsys.readouterr().out == "-XX:TieredStopAtLevel=1\n"
