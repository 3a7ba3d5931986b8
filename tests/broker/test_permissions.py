"""`penstock doctor` on a broker that allows little: what is missing is named, with its command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from penstock._engine.kafka import loopback
from penstock.cli import main
from penstock.testing.broker import LocalBroker
from tests.broker.programs import counting
from tests.broker.test_secured import PASSWORD, listeners, sasl_settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

CLIENT = f"""\
security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.username=alice
sasl.password={PASSWORD}
"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give where a broker listens on which alice may look at all, read nothing, write nothing."""
    home = tmp_path_factory.mktemp("guarded")
    plain, controller, sasl = loopback.free_ports(3)
    settings = {
        **listeners({"PLAINTEXT": plain, "SASL_PLAINTEXT": sasl}, controller),
        **sasl_settings(),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with LocalBroker(home / "broker", plain, settings=settings) as broker:
        for topic in ("lines", "counts"):
            broker.create_topic(topic)
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        things = [(ResourceType.TOPIC, "*"), (ResourceType.GROUP, "*")]
        things.append((ResourceType.BROKER, "kafka-cluster"))
        looking = [
            AclBinding(
                kind,
                name,
                ResourcePatternType.LITERAL,
                "User:alice",
                "*",
                AclOperation.DESCRIBE,
                AclPermissionType.ALLOW,
            )
            for kind, name in things
        ]
        for made in admin.create_acls(looking).values():
            made.result()
        yield f"{loopback.HOST}:{sasl}"


def test_what_is_not_allowed_is_named(
    guarded: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    client = tmp_path / "client.properties"
    client.write_text(CLIENT)
    program = counting(tmp_path, "poor", "lines", "counts")
    where = ["--bootstrap-servers", guarded, "--settings", str(client)]
    assert main(["doctor", program, "--quick", *where]) == 1
    told = capsys.readouterr().out
    assert " failed  permissions: not allowed on topic lines: READ\n" in told
    assert "--operation Read --topic lines\n" in told
    assert " failed  permissions: not allowed on topic counts: WRITE\n" in told
    assert " failed  permissions: not allowed on group poor: READ\n" in told
    assert " failed  permissions: not allowed on cluster: CREATE\n" in told
    assert " failed  permissions: no transactions: " in told
    assert PASSWORD not in told
