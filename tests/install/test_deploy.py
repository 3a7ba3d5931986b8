"""The files for Docker: readable, and of one mind with the code; Docker checks them if it can."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from penstock._engine.kafka.local_broker.distribution import KAFKA_VERSION
from penstock.cli.init.project import contents
from tests.docs.shell import penstock_fault

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "deploy" / "compose.yaml"
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "VOLUME", "USER", "CMD"}
SERVICE_KEYS = {
    *("image", "build", "command", "environment", "ports", "healthcheck", "depends_on"),
    *("volumes", "restart", "stop_signal", "stop_grace_period"),
}


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile; lines that go on are put together."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in whole.splitlines())]


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    assert set(found) == {"services", "volumes"}
    return dict(found["services"])


@pytest.mark.parametrize("which", ["deploy", "init"])
def test_a_dockerfile_copies_what_is_there_and_runs_a_command_that_exists(which: str) -> None:
    made = contents("shop", "count", "0.1.0")
    own = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    steps = instructions(own if which == "deploy" else made["Dockerfile"])
    assert {word for word, _ in steps} <= INSTRUCTIONS
    assert steps[0][0] == "FROM"
    for source in (name for word, rest in steps if word == "COPY" for name in rest.split()[:-1]):
        built = source.startswith("dist/")
        there = source in made or f"{source}README.md" in made
        assert built or (there if which == "init" else (ROOT / source).is_file()), source
    last, command = steps[-1]
    assert last == "CMD"
    program, *arguments = re.findall(r'"([^"]*)"', command)
    assert (program, penstock_fault(arguments)) == ("penstock", None)


def test_the_compose_file_is_of_one_mind_with_the_code() -> None:
    found = services()
    assert found["kafka"]["image"] == f"apache/kafka:{KAFKA_VERSION}"
    for name, service in found.items():
        assert set(service) <= SERVICE_KEYS, name
        for other, how in service.get("depends_on", {}).items():
            assert other in found
            assert how["condition"] != "service_healthy" or "healthcheck" in found[other]
        if "build" in service:
            context = (COMPOSE.parent / service["build"]["context"]).resolve()
            assert (context / service["build"]["dockerfile"]).is_file()
            program, *arguments = service["command"]
            assert (program, penstock_fault(arguments)) == ("penstock", None)


@pytest.mark.slow
def test_docker_reads_the_compose_file() -> None:
    docker = shutil.which("docker")
    if docker is None or _ended(docker, "compose", "version") != 0:
        pytest.skip("there is no docker compose here")
    assert _ended(docker, "compose", "--file", str(COMPOSE), "config", "--quiet") == 0


def _ended(*command: str) -> int:
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode
