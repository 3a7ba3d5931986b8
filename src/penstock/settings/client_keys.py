"""The keys that may be said to the Kafka clients and to internal topics.

Each client takes the keys of Java's client (4.3), which `_engine/kafka/client/clients.py`
translates, and those of librdkafka, which it passes on. A key that is known to some clients only is
refused for the others. Lists, not checks: what a value may be is mostly the client's business.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Client: TypeAlias = Literal["consumer", "producer", "admin"]

PREFIXES: dict[str, Client] = {
    "consumer.": "consumer",
    "main.consumer.": "consumer",
    "restore.consumer.": "consumer",
    "global.consumer.": "consumer",
    "producer.": "producer",
    "admin.": "admin",
}
"""What stands before a key to say for which clients it is meant."""

TOPIC_PREFIX = "topic."

_JAVA_EVERY_CLIENT = """
bootstrap.servers client.dns.lookup client.id config.providers connections.max.idle.ms
enable.metrics.push metadata.max.age.ms metadata.recovery.rebootstrap.trigger.ms
metadata.recovery.strategy metric.reporters metrics.num.samples metrics.recording.level
metrics.sample.window.ms receive.buffer.bytes reconnect.backoff.max.ms reconnect.backoff.ms
request.timeout.ms retry.backoff.max.ms retry.backoff.ms sasl.client.callback.handler.class
sasl.jaas.config sasl.kerberos.kinit.cmd sasl.kerberos.min.time.before.relogin
sasl.kerberos.service.name sasl.kerberos.ticket.renew.jitter
sasl.kerberos.ticket.renew.window.factor sasl.login.callback.handler.class sasl.login.class
sasl.login.connect.timeout.ms sasl.login.read.timeout.ms sasl.login.refresh.buffer.seconds
sasl.login.refresh.min.period.seconds sasl.login.refresh.window.factor
sasl.login.refresh.window.jitter sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms
sasl.mechanism sasl.oauthbearer.assertion.algorithm sasl.oauthbearer.assertion.claim.aud
sasl.oauthbearer.assertion.claim.exp.seconds sasl.oauthbearer.assertion.claim.iss
sasl.oauthbearer.assertion.claim.jti.include sasl.oauthbearer.assertion.claim.nbf.seconds
sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file
sasl.oauthbearer.assertion.private.key.file sasl.oauthbearer.assertion.private.key.passphrase
sasl.oauthbearer.assertion.template.file sasl.oauthbearer.client.credentials.client.id
sasl.oauthbearer.client.credentials.client.secret sasl.oauthbearer.clock.skew.seconds
sasl.oauthbearer.expected.audience sasl.oauthbearer.expected.issuer
sasl.oauthbearer.header.urlencode sasl.oauthbearer.jwks.endpoint.refresh.ms
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms sasl.oauthbearer.jwks.endpoint.url
sasl.oauthbearer.jwt.retriever.class sasl.oauthbearer.jwt.validator.class sasl.oauthbearer.scope
sasl.oauthbearer.scope.claim.name sasl.oauthbearer.sub.claim.name
sasl.oauthbearer.token.endpoint.url security.protocol security.providers send.buffer.bytes
socket.connection.setup.timeout.max.ms socket.connection.setup.timeout.ms ssl.cipher.suites
ssl.enabled.protocols ssl.endpoint.identification.algorithm ssl.engine.factory.class
ssl.key.password ssl.keymanager.algorithm ssl.keystore.certificate.chain ssl.keystore.key
ssl.keystore.location ssl.keystore.password ssl.keystore.type ssl.protocol ssl.provider
ssl.secure.random.implementation ssl.trustmanager.algorithm ssl.truststore.certificates
ssl.truststore.location ssl.truststore.password ssl.truststore.type
"""

_JAVA_CONSUMER = """
allow.auto.create.topics auto.commit.interval.ms auto.offset.reset check.crcs client.rack
default.api.timeout.ms enable.auto.commit exclude.internal.topics fetch.max.bytes
fetch.max.wait.ms fetch.min.bytes group.id group.instance.id group.protocol group.remote.assignor
heartbeat.interval.ms interceptor.classes isolation.level key.deserializer
max.partition.fetch.bytes max.poll.interval.ms max.poll.records partition.assignment.strategy
session.timeout.ms value.deserializer
"""

_JAVA_PRODUCER = """
acks batch.size buffer.memory compression.gzip.level compression.lz4.level compression.type
compression.zstd.level delivery.timeout.ms enable.idempotence interceptor.classes key.serializer
linger.ms max.block.ms max.in.flight.requests.per.connection max.request.size
metadata.max.idle.ms partitioner.adaptive.partitioning.enable
partitioner.availability.timeout.ms partitioner.class partitioner.ignore.keys retries
transaction.timeout.ms transaction.two.phase.commit.enable transactional.id value.serializer
"""

_JAVA_ADMIN = "default.api.timeout.ms retries"

# Without the callbacks, which the engine sets or which are of no use to a streams application;
# oauth_cb is the Python client's own.
_LIBRDKAFKA_EVERY_CLIENT = """
api.version.fallback.ms api.version.request api.version.request.timeout.ms broker.address.family
broker.address.ttl broker.version.fallback client.rack debug enable.sasl.oauthbearer.unsecure.jwt
enable.ssl.certificate.verification https.ca.location https.ca.pem log.connection.close
log.thread.name log_level max.in.flight max.in.flight.requests.per.connection
message.copy.max.bytes message.max.bytes metadata.broker.list oauth_cb plugin.library.paths
receive.message.max.bytes reconnect.backoff.jitter.ms sasl.kerberos.keytab
sasl.kerberos.principal sasl.mechanisms sasl.oauthbearer.assertion.jwt.template.file
sasl.oauthbearer.assertion.private.key.pem sasl.oauthbearer.client.id
sasl.oauthbearer.client.secret sasl.oauthbearer.config sasl.oauthbearer.extensions
sasl.oauthbearer.grant.type sasl.oauthbearer.metadata.authentication.type
sasl.oauthbearer.method sasl.password sasl.username socket.blocking.max.ms
socket.keepalive.enable socket.max.fails socket.nagle.disable socket.receive.buffer.bytes
socket.send.buffer.bytes socket.timeout.ms ssl.ca.certificate.stores ssl.ca.location ssl.ca.pem
ssl.certificate.location ssl.certificate.pem ssl.crl.location ssl.curves.list ssl.engine.id
ssl.engine.location ssl.key.location ssl.key.pem ssl.providers ssl.sigalgs.list
topic.metadata.propagation.max.ms topic.metadata.refresh.fast.cnt
topic.metadata.refresh.fast.interval.ms topic.metadata.refresh.interval.ms
topic.metadata.refresh.sparse
"""

_LIBRDKAFKA_CONSUMER = """
auto.commit.enable coordinator.query.interval.ms enable.auto.offset.store enable.partition.eof
fetch.error.backoff.ms fetch.message.max.bytes fetch.queue.backoff.ms fetch.wait.max.ms
group.protocol.type offset.store.method queued.max.messages.kbytes queued.min.messages
"""

_LIBRDKAFKA_PRODUCER = """
batch.num.messages compression.codec compression.level delivery.report.only.error
enable.gapless.guarantee message.send.max.retries message.timeout.ms partitioner
queue.buffering.backpressure.threshold queue.buffering.max.kbytes queue.buffering.max.messages
queue.buffering.max.ms queuing.strategy request.required.acks sticky.partitioning.linger.ms
"""

_TOPIC = """
cleanup.policy compression.gzip.level compression.lz4.level compression.type
compression.zstd.level delete.retention.ms file.delete.delay.ms flush.messages flush.ms
index.interval.bytes local.retention.bytes local.retention.ms max.compaction.lag.ms
max.message.bytes message.downconversion.enable message.timestamp.after.max.ms
message.timestamp.before.max.ms message.timestamp.type min.cleanable.dirty.ratio
min.compaction.lag.ms min.insync.replicas preallocate remote.log.copy.disable
remote.log.delete.on.disable remote.storage.enable retention.bytes retention.ms segment.bytes
segment.index.bytes segment.jitter.ms segment.ms unclean.leader.election.enable
"""


def _keys(*lists: str) -> frozenset[str]:
    return frozenset(key for listed in lists for key in listed.split())


JAVA_KEYS: dict[Client, frozenset[str]] = {
    "consumer": _keys(_JAVA_EVERY_CLIENT, _JAVA_CONSUMER),
    "producer": _keys(_JAVA_EVERY_CLIENT, _JAVA_PRODUCER),
    "admin": _keys(_JAVA_EVERY_CLIENT, _JAVA_ADMIN),
}

LIBRDKAFKA_KEYS: dict[Client, frozenset[str]] = {
    "consumer": _keys(_LIBRDKAFKA_EVERY_CLIENT, _LIBRDKAFKA_CONSUMER),
    "producer": _keys(_LIBRDKAFKA_EVERY_CLIENT, _LIBRDKAFKA_PRODUCER),
    "admin": _keys(_LIBRDKAFKA_EVERY_CLIENT),
}
"""Keys that Java has not, or not with this meaning for this client."""

CLIENT_KEYS: dict[Client, frozenset[str]] = {
    client: JAVA_KEYS[client] | LIBRDKAFKA_KEYS[client] for client in JAVA_KEYS
}

TOPIC_KEYS = _keys(_TOPIC)


def clients_knowing(key: str) -> list[Client]:
    """Return the clients that take a key."""
    return [client for client, keys in CLIENT_KEYS.items() if key in keys]
