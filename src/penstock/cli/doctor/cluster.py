"""Checks of the cluster: whether it answers, the topics of a program, permissions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock._engine.planner.layout import Layout, draft_of, lay_out
from penstock._engine.planner.permissions import (
    Need,
    acl_command,
    missing_of,
    needs_of,
    unadvised_of,
)
from penstock.cli.arguments.programs import Application
from penstock.cli.doctor.findings import Finding, checked, fault
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock._engine.kafka.client.admin_calls import AdminClient

_ANSWER_MS = 5_000


def check_cluster(
    config: StreamsConfig | None, application: Application | None
) -> Iterator[Finding]:
    """Look at the cluster, if there is one, and at what a program needs there."""
    # Only a cluster that is there needs the Kafka client.
    from penstock._engine.kafka.application.examination import look_at_cluster  # noqa: PLC0415
    from penstock._engine.kafka.client.admin_calls import open_admin  # noqa: PLC0415

    if config is None:
        told = "no bootstrap.servers given, and the local broker does not run"
        fix = "penstock broker, or --bootstrap-servers HOST:PORT"
        yield Finding("broker", "skipped", told, fix)
        return
    # A doctor does not wait for five minutes.
    hasty = StreamsConfig({**config.given(), "task.timeout.ms": _ANSWER_MS})
    try:
        admin = open_admin(hasty)
        cluster = look_at_cluster(admin)
    except StreamsError as error:
        yield fault("broker", error)
        return
    brokers = "1 broker" if cluster.brokers == 1 else f"{cluster.brokers} brokers"
    told = f"{config.bootstrap_servers} answers: cluster {cluster.id}, {brokers}"
    yield Finding("broker", "ok", told)
    yield _check_copies(config, cluster.brokers)
    if application is not None:
        checked_application = Application(application.topology, config)
        yield from _check_application(admin, checked_application, cluster.brokers)


def _check_copies(config: StreamsConfig, brokers: int) -> Finding:
    wanted = config.replication_factor
    name = "replication"
    if wanted > brokers:
        told = f"'replication.factor' is {wanted}, more than the cluster has brokers"
        return Finding(name, "failed", told, f"set it to {brokers}, or to -1 for the broker's own")
    if wanted == 1 and brokers > 1:
        told = "'replication.factor' is 1: state is lost with the broker that holds it"
        return Finding(name, "warning", told, "set it to 3, or to -1 for the broker's own")
    shown = "the broker's own" if wanted < 0 else wanted
    return Finding(name, "ok", f"internal topics have copies: {shown}")


def _check_application(
    admin: AdminClient, application: Application, brokers: int
) -> Iterator[Finding]:
    from penstock._engine.kafka.client.topics import existing_topics, partition_counts  # noqa: PLC0415

    config = application.config
    existing = existing_topics(admin)
    draft = draft_of(application.topology, config.application_id).resolved(existing)
    try:
        counts = partition_counts(admin, draft.topics_to_count, draft.sources)
        layout = lay_out(draft, counts, config)
    except StreamsError as error:
        yield fault("topics", error)
        return
    yield _check_outputs(layout, existing)
    try:
        yield from _check_output_copies(admin, layout, existing, brokers)
    except StreamsError as error:
        yield fault("output copies", error)
    if layout.draft.copartitioned:
        yield checked("keys", lambda: _check_keys(layout, config))
    yield checked("internal topics", lambda: _check_internal(admin, layout, existing))
    yield from _check_permissions(admin, layout, config, existing)


def _check_outputs(layout: Layout, existing: list[str]) -> Finding:
    missing = [topic for topic in layout.draft.outputs if topic not in existing]
    if missing:
        told = f"output topics are missing: {', '.join(missing)}"
        return Finding("topics", "failed", told, "penstock topics APP --create")
    counts = layout.partition_counts
    told = ", ".join(f"{name} ({counts[name]})" for name in layout.draft.topics_to_count)
    return Finding("topics", "ok", f"all are there; partitions: {told}")


def _check_output_copies(
    admin: AdminClient, layout: Layout, existing: list[str], brokers: int
) -> Iterator[Finding]:
    """Look at how many copies output topics have, and how many of them must take a record."""
    from penstock._engine.kafka.client.topics import describe_topics, settings_of_topics  # noqa: PLC0415

    outputs = [topic for topic in layout.draft.outputs if topic in existing]
    described = describe_topics(admin, outputs, _ANSWER_MS / 1000)
    settings = settings_of_topics(admin, outputs, _ANSWER_MS / 1000)
    found, judged = list[Finding](), 0
    for topic in outputs:
        partitions = described[topic].partitions if topic in described else []
        copies = min((len(partition.replicas) for partition in partitions), default=None)
        # What may not be described is not judged.
        needed = settings.get(topic, {}).get("min.insync.replicas")
        if copies is not None and needed is not None:
            judged += 1
            found += judge_copies(topic, copies, int(needed), brokers)
    if judged and not found:
        told = f"{judged} of {len(outputs)} topics looked at have enough for {brokers} brokers"
        yield Finding("output copies", "ok", told if brokers > 1 else "one, of the only broker")
    yield from found


def judge_copies(topic: str, copies: int, needed: int, brokers: int) -> list[Finding]:
    """Return what is wrong with an output topic of so many copies, of which so many are `needed`
    to take a record that is written with `acks=all`.
    """
    name, subject = "output copies", f"topic {topic}"
    insync = f"'min.insync.replicas' is {needed}"
    if needed > copies:
        told = f"{subject}: {insync}, and it has {copies}: nothing can be written to it"
        return [Finding(name, "failed", told, f"set it to {max(1, copies - 1)} for the topic")]
    if brokers == 1:
        return []
    if copies == 1:
        told = f"{subject} has one copy: its records are lost with the broker that holds it"
        return [Finding(name, "warning", told, "give it 3: kafka-reassign-partitions.sh")]
    if needed == copies:
        told = f"{subject}: {insync}, as many as it has copies: one broker away stops all writes"
        return [Finding(name, "warning", told, f"set it to {copies - 1} for the topic")]
    if needed == 1:
        told = f"{subject}: {insync}: a record may be on one broker only, and be lost with it"
        return [Finding(name, "warning", told, "set it to 2 for the topic")] if copies > 2 else []
    return []


def _check_keys(layout: Layout, config: StreamsConfig) -> Finding:
    from penstock._engine.kafka.tasks.key_placement import (  # noqa: PLC0415
        find_misplaced,
        sample_topics,
        samples_of,
    )

    draft = layout.draft
    groups, internal = draft.copartitioned, layout.internal_topics
    samples = samples_of(groups, draft.plans, layout.partition_counts, internal)
    sample_topics(samples, config)
    misplaced = find_misplaced(groups, samples)
    if misplaced:
        fix = "set partitioner=murmur2_random in the producers, and write the records again"
        return Finding("keys", "warning", "; ".join(map(str, misplaced)), fix)
    return Finding("keys", "ok", "those of joined topics are placed by the same rule, or not known")


def _check_internal(admin: AdminClient, layout: Layout, existing: list[str]) -> Finding:
    from penstock._engine.kafka.application.internal_topics import check_partitions  # noqa: PLC0415

    there = {name: plan for name, plan in layout.internal_topics.items() if name in existing}
    check_partitions(admin, there)
    count = len(layout.internal_topics)
    if not there:
        return Finding("internal topics", "ok", f"{count} will be made at the first start")
    return Finding("internal topics", "ok", f"{len(there)} of {count} are there, and fit")


def _check_permissions(
    admin: AdminClient, layout: Layout, config: StreamsConfig, existing: list[str]
) -> Iterator[Finding]:
    from penstock._engine.kafka.application.examination import transaction_refusal  # noqa: PLC0415
    from penstock._engine.kafka.client.denials import allowed_operations  # noqa: PLC0415

    name, untold, granted, refused = "permissions", 0, 0, 0
    needs = needs_of(layout, config)
    allowed = allowed_operations(admin, needs)
    for need, operations in allowed.items():
        if operations is None:
            untold += need.name in existing
            continue
        # What may not even be looked at may not be there: then it must be made, too.
        missing = [one for one in missing_of(need, operations) if one != "CREATE" or not operations]
        thing = f"{need.resource} {need.name}"
        if missing:
            refused += 1
            told = f"not allowed on {thing}: {', '.join(missing)}"
            yield Finding(name, "failed", told, acl_command(need, missing))
        elif unadvised := unadvised_of(need, operations):
            told = f"advised and not allowed on {thing}: {', '.join(unadvised)}"
            yield Finding(name, "warning", told, acl_command(need, unadvised))
        granted += not missing
    new = [need for need in needs if need.name not in existing and allowed.get(need) is None]
    for finding in _check_creation(admin, new, layout):
        refused += 1
        yield finding
    if not refused:
        told = f"all that is needed on {granted} topics and groups"
        yield Finding(name, "ok", told + (f"; {untold} do not tell" if untold else ""))
    if config.exactly_once and (refusal := transaction_refusal(config)) is not None:
        fix = acl_command(needs[-1], needs[-1].all_operations)
        yield Finding(name, "failed", f"no transactions: {refusal}", fix)


def _check_creation(admin: AdminClient, needs: list[Need], layout: Layout) -> Iterator[Finding]:
    from penstock._engine.kafka.application.internal_topics import may_create  # noqa: PLC0415

    internal = [need for need in needs if need.name in layout.internal_topics]
    plans = [layout.internal_topics[need.name] for need in internal]
    for need, allowed in zip(internal, may_create(admin, plans), strict=True):
        if not allowed:
            told = f"not allowed on topic {need.name}: CREATE"
            yield Finding("permissions", "failed", told, acl_command(need, need.all_operations))
