"""A real broker that lets in only those it knows: SASL over TLS, certificates of clients, ACLs.

The plain listener is for the tests themselves: who comes that way is the cluster's administrator.
Everybody else may do nothing but what `allow` says.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from penstock._engine.kafka.local_broker import loopback
from penstock._engine.planner.permissions import Need
from penstock.testing.broker import LocalBroker
from tests.broker.certificates import Authority, Identity

MODULES = "org.apache.kafka.common.security."
PASSWORD = "hunter2-hunter2"
HERE = f"IP:{loopback.HOST}"

PROTOCOLS = {
    "PLAINTEXT": "PLAINTEXT",
    "SASL": "SASL_SSL",
    "MUTUAL": "SSL",
    "EXPIRED": "SSL",
    "ELSEWHERE": "SSL",
}
"""Each listener and its protocol: EXPIRED shows a certificate that is no longer valid, ELSEWHERE
one of another host.
"""

_RESOURCES = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "cluster": ResourceType.BROKER,
    "transactional-id": ResourceType.TRANSACTIONAL_ID,
}


@dataclass(frozen=True, slots=True)
class SecuredBroker:
    """A broker, where its listeners are, and the files that open them."""

    broker: LocalBroker
    ports: Mapping[str, int]
    authority: Authority

    def servers(self, listener: str) -> str:
        """Return the address of a listener."""
        return f"{loopback.HOST}:{self.ports[listener]}"

    def tls(self, listener: str) -> dict[str, Any]:
        """Return the settings of a connection that trusts the broker's authority."""
        return {
            "bootstrap.servers": self.servers(listener),
            "security.protocol": PROTOCOLS[listener],
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority.certificate),
        }

    def plain(self, user: str, password: str = PASSWORD) -> dict[str, Any]:
        """Return the settings of a user with a password, as Java has them."""
        login = f'{MODULES}plain.PlainLoginModule required username="{user}" password="{password}";'
        return {**self.tls("SASL"), "sasl.mechanism": "PLAIN", "sasl.jaas.config": login}

    def mutual(self, identity: Identity) -> dict[str, Any]:
        """Return the settings of a client with a certificate."""
        own = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(identity.store)}
        return {**self.tls("MUTUAL"), **own}

    def allow(self, user: str, needs: Iterable[Need]) -> None:
        """Allow a user the needed and advised operations, and nothing else."""
        admin = AdminClient({"bootstrap.servers": self.broker.bootstrap_servers})
        bindings = [
            AclBinding(*_thing(need), f"User:{user}", "*", operation, AclPermissionType.ALLOW)
            for need in needs
            for operation in map(AclOperation.__getitem__, need.all_operations)
        ]
        for made in admin.create_acls(bindings).values():
            made.result()

    def forbid(self, user: str, need: Need) -> None:
        """Take back everything that a user is allowed on a thing."""
        admin = AdminClient({"bootstrap.servers": self.broker.bootstrap_servers})
        thing = AclBindingFilter(
            *_thing(need), f"User:{user}", "*", AclOperation.ANY, AclPermissionType.ANY
        )
        for deleted in admin.delete_acls([thing]).values():
            assert deleted.result()


def _thing(need: Need) -> tuple[Any, str, Any]:
    pattern = ResourcePatternType.PREFIXED if need.prefixed else ResourcePatternType.LITERAL
    return _RESOURCES[need.resource], need.name or "kafka-cluster", pattern


@contextmanager
def secured_broker(home: Path, users: Iterable[str]) -> Iterator[SecuredBroker]:
    """Run a broker that knows `users`, all with the same password."""
    controller, *numbers = loopback.free_ports(1 + len(PROTOCOLS))
    ports = dict(zip(PROTOCOLS, numbers, strict=True))
    authority = Authority(home, "authority")
    settings = {
        **listeners(ports, controller),
        **_tls_settings(authority),
        **sasl_settings(users),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with LocalBroker(home / "broker", ports["PLAINTEXT"], settings=settings) as broker:
        yield SecuredBroker(broker, ports, authority)


def listeners(ports: Mapping[str, int], controller: int) -> dict[str, str]:
    """Return where the broker listens, and how."""
    public = ",".join(f"{name}://{loopback.HOST}:{port}" for name, port in ports.items())
    return {
        "listeners": f"{public},CONTROLLER://{loopback.HOST}:{controller}",
        "advertised.listeners": public,
        "controller.quorum.voters": f"1@{loopback.HOST}:{controller}",
        "listener.security.protocol.map": ",".join(
            ["CONTROLLER:PLAINTEXT", *(f"{name}:{PROTOCOLS[name]}" for name in ports)]
        ),
    }


def _tls_settings(authority: Authority) -> dict[str, str]:
    stores = {
        "sasl": authority.identity("broker", HERE),
        "mutual": authority.identity("broker-mutual", HERE),
        "expired": authority.identity("broker-expired", HERE, expired=True),
        "elsewhere": authority.identity("broker-elsewhere", "DNS:elsewhere.example.org"),
    }
    settings = {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.certificate),
        "ssl.keystore.type": "PEM",
        "listener.name.mutual.ssl.client.auth": "required",
        # The common name of a certificate is the principal.
        "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/,DEFAULT",
    }
    for listener, identity in stores.items():
        settings[f"listener.name.{listener}.ssl.keystore.location"] = str(identity.store)
    return settings


def sasl_settings(users: Iterable[str]) -> dict[str, str]:
    """Return what the broker must know of users; those of SCRAM are added later."""
    known = " ".join(f'user_{user}="{PASSWORD}"' for user in users)
    logins = {
        "plain": f"{MODULES}plain.PlainLoginModule required {known};",
        "scram-sha-256": f"{MODULES}scram.ScramLoginModule required;",
        "scram-sha-512": f"{MODULES}scram.ScramLoginModule required;",
        "oauthbearer": (
            f"{MODULES}oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="broker";'
        ),
    }
    return {
        "sasl.enabled.mechanisms": ",".join(name.upper() for name in logins),
        **{f"listener.name.sasl.{name}.sasl.jaas.config": line for name, line in logins.items()},
    }


def add_scram_user(broker: LocalBroker, user: str, password: str = PASSWORD) -> None:
    """Add a user for SCRAM, with both digests; replaces the password of one that exists."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
        how = ScramCredentialInfo(mechanism, 4096)
        wanted = UserScramCredentialUpsertion(user, how, password.encode())
        for added in admin.alter_user_scram_credentials([wanted]).values():
            added.result()


def unsigned_token(user: str, seconds: float = 3600) -> str:
    """Return a token without a signature, which the broker takes if its handler is the unsecured
    one.
    """
    now = time.time()
    parts = {"alg": "none"}, {"sub": user, "iat": int(now), "exp": int(now + seconds)}
    written = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts
    )
    return f"{'.'.join(written)}."
