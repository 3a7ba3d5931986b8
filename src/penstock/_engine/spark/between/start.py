"""Starts a topology between streaming DataFrames: checks, topics, the folder, then the parts.

Everything that can be found wrong is found before the first record is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike, fspath
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from penstock._clock import new_id
from penstock._engine.kafka.application.carrier_topics import (
    look_at,
    make_missing,
    with_others,
    write_name,
)
from penstock._engine.kafka.client.clients import reading_committed
from penstock._engine.kafka.local_broker.embedded import PARTITIONS, with_state_beside_broker
from penstock._engine.kafka.local_broker.shared_broker import shared_broker
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.stages import JobPlan, check_topics, plan_job
from penstock._engine.spark.batch.inputs import Partitions
from penstock._engine.spark.batch.start import check_partitions, check_topology
from penstock._engine.spark.batch.typed import Typed
from penstock._engine.spark.between.first_start import OpenedRecord, opened_record
from penstock._engine.spark.between.kept_offsets import go_on, note_end, topics_of_tasks
from penstock._engine.spark.between.live_inputs import (
    LiveInput,
    is_live,
    live_inputs,
    reading_inputs,
    session_of,
)
from penstock._engine.spark.between.live_result import LiveResult
from penstock._engine.spark.between.live_run import Engine, LiveRun
from penstock._engine.spark.between.open_folders import OpenFolder
from penstock._engine.spark.between.run_folder import ROUTED, RunFolder, RunRecord
from penstock._engine.spark.between.table_times import warn_of_table_times
from penstock._engine.spark.broker_reach import refuse_far_executors
from penstock._engine.spark.dataframes import sink_stream
from penstock._engine.spark.dataframes.sink_options import parse_after_partial_write
from penstock._engine.spark.dataframes.sink_stream import StreamingQuery
from penstock._engine.topology.topology import Topology
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig
from penstock.settings.config import given_settings
from penstock.settings.table import EXACTLY_ONCE_V2

MakeEngine: TypeAlias = Callable[[Topology, StreamsConfig, SparkSession], Engine]
_NAMES_SERVERS = {"bootstrap.servers", "bootstrap_servers"}
_NAMES_APPLICATION = {"application.id", "application_id"}


@dataclass(frozen=True, slots=True)
class LiveRequest:
    """What the user asks for."""

    topology: Topology
    inputs: Mapping[str, DataFrame | Typed]
    config: Mapping[str, Any] | StreamsConfig | None = None
    partitions: int | Mapping[str, int] | None = None
    folder: str | PathLike[str] | None = None
    available_now: bool = False
    trigger: Mapping[str, Any] | None = None
    after_partial_write: str = "refuse"

    @property
    def again(self) -> bool:
        """Whether a batch that was written in part is written again, though it is cut otherwise."""
        return parse_after_partial_write(self.after_partial_write, "after_partial_write")


def start(request: LiveRequest, make_engine: MakeEngine) -> LiveResult:
    """Start a live run; with `available_now`, wait until it is over.

    Raises:
        ConfigError: an argument is wrong.
        StreamsError: the inputs do not fit the topology, or a part failed.
    """
    check_topology(request.topology)
    location = _checked_folder(request)
    request, initial = _without_initial(request)
    first = {f"{topic} (initial)": given for topic, given in initial.items()}
    session = session_of({**request.inputs, **first})
    folder = RunFolder(session, location)
    record = folder.read()
    config = _settings(request.config, record, folder)
    plan = _planned(request, config)
    topology = reading_inputs(request.topology, request.inputs)
    again = request.again
    live_inputs(request.inputs, plan, config)
    live_inputs(initial, plan, config)
    with ExitStack() as stack:
        opened_folder = stack.enter_context(OpenFolder(folder.location))
        config = _on_cluster(config, session, stack)
        inputs = live_inputs(request.inputs, plan, config, again=again)
        opened = _on_record((inputs, initial), plan, config, folder, record)
        record = opened.record
        engine = make_engine(topology, config, session)
        ended = partial(note_end, opened, _written(plan, config), config, folder)
        run = LiveRun(session, engine, stack.pop_all(), ended)
    try:
        first_rows = live_inputs(initial, plan, config, again=again)
        written = [topic for topic, one in record.inputs.items() if one.is_written]
        warn_of_table_times(topology, [*first_rows, *inputs], written)
        _write_batches(run, [*first_rows, *inputs], folder, record)
        _start_parts(run, request, inputs, folder, record)
    except BaseException:
        run.close()
        raise
    if request.available_now:  # it is over, though its outputs are still read
        opened_folder.release()
    starts = {
        topic: {int(number): end for number, end in ends.items()}
        for topic, ends in record.outputs.items()
    }
    return LiveResult(run, plan, (topology, config), folder, starts)


def _without_initial(
    request: LiveRequest,
) -> tuple[LiveRequest, Mapping[str, DataFrame | Typed]]:
    """Return the request with a topology that no DataFrame is in: those that tables begin with are
    inputs, or, where there is a stream of changes, are written before it and returned.
    """
    topology = copy(request.topology)
    initial, topology.initial_tables = topology.initial_tables, {}
    for topic in initial:
        if topic in request.inputs and not is_live({topic: request.inputs[topic]}):
            msg = (
                f"table({topic!r}, initial=...) and input {topic!r} are both batch DataFrames; "
                "give one of them, or changes as a stream"
            )
            raise StreamsError(msg)
    inputs = {**initial, **request.inputs}
    first = {topic: given for topic, given in initial.items() if topic in request.inputs}
    return replace(request, topology=topology, inputs=inputs), first


def _checked_folder(request: LiveRequest) -> str:
    if request.folder is None:
        msg = (
            "a topology between streaming DataFrames needs folder=..., a path for the checkpoints "
            "of its queries: without them a second start would write all inputs again"
        )
        raise ConfigError(msg)
    if request.trigger is not None and request.available_now:
        msg = "trigger says when inputs are read while the run goes on; leave out available_now"
        raise ConfigError(msg)
    ending = {"availableNow", "once"} & set(request.trigger or {})
    if ending:
        msg = (
            f"trigger={{{ending.pop()!r}: True}} ends an input, and with it the run; say "
            "available_now=True, which ends all parts in their order"
        )
        raise ConfigError(msg)
    location = fspath(request.folder)
    if not isinstance(location, str) or not location:
        msg = f"folder must be a path; got {request.folder!r}"
        raise ConfigError(msg)
    return location


def _settings(
    config: Mapping[str, Any] | StreamsConfig | None, record: RunRecord | None, folder: RunFolder
) -> StreamsConfig:
    """Return the settings of the application: exactly once unless the user says otherwise. An
    application without a name gets one, and keeps it.
    """
    given = given_settings(config)
    known = f"dataframes-{new_id()[:8]}" if record is None else record.application
    if not given.keys() & _NAMES_APPLICATION:
        given["application.id"] = known
    named = given.keys() & _NAMES_SERVERS
    made = StreamsConfig(given) if named else StreamsConfig.from_environment(given)
    if record is not None and made.application_id != record.application:
        msg = (
            f"folder {folder.location} is that of application {record.application!r}; got "
            f"{made.application_id!r}; give each application a folder of its own"
        )
        raise ConfigError(msg)
    return reading_committed(
        StreamsConfig({"processing.guarantee": EXACTLY_ONCE_V2, **made.given()})
    )


def _planned(request: LiveRequest, config: StreamsConfig) -> JobPlan:
    config.check_optimizations(request.topology.optimizations)
    topology = with_default_stores(request.topology, config)
    wanted = Partitions.of(request.partitions)
    check_topics(topology, config, request.inputs)
    default = wanted.default or PARTITIONS
    counts = {topic: wanted.by_topic.get(topic, default) for topic in request.inputs}
    others = {topic: count for topic, count in wanted.by_topic.items() if topic not in counts}
    plan = plan_job(topology, config, counts, others, wanted.default)
    check_partitions(wanted, plan)
    return plan


def _on_cluster(config: StreamsConfig, session: SparkSession, stack: ExitStack) -> StreamsConfig:
    """Return the settings with a cluster: the one they name, or the local broker.

    Raises:
        ConfigError: they name none, and executors cannot reach the local broker.
    """
    if config.names_cluster:
        return config
    refuse_far_executors(config, session)
    servers = stack.enter_context(shared_broker())
    beside = with_state_beside_broker(config)
    return StreamsConfig({**beside.given(), "bootstrap.servers": servers})


def _on_record(
    given: tuple[list[LiveInput], Mapping[str, DataFrame | Typed]],
    plan: JobPlan,
    config: StreamsConfig,
    folder: RunFolder,
    record: RunRecord | None,
) -> OpenedRecord:
    """Make the topics, and store in the folder what this start is, before it writes anything.
    `given` are the inputs, and the DataFrames that streams among them begin with.
    """
    inputs, initial = given
    counts = {
        topic: count
        for topic, count in plan.partition_counts.items()
        if topic not in plan.hidden_topics
    }
    for topic in _dead_letters(config):
        counts.setdefault(topic, 1)
    before = look_at(config, counts)
    made = opened_record(record, config.application_id, before.cluster, folder.location)
    made.check_known(before.ids, [one.topic for one in inputs])
    make_missing(config, counts)
    now = look_at(config, counts)
    made.add_inputs({one.topic: one.kind for one in inputs}, now, initial)
    outputs = [*plan.sinks, ROUTED] if plan.has_routed_sinks else plan.sinks
    if ROUTED in outputs and made.is_output_new(ROUTED):
        now = with_others(config, now)
    made.add_outputs(outputs, now)
    go_on(made, config, folder, topics_of_tasks(plan), now)
    folder.write(made.record)
    return made


def _written(plan: JobPlan, config: StreamsConfig) -> list[str]:
    """Return the topics of users that the application writes to, with `ROUTED` if records name
    some of them.
    """
    routed = [ROUTED] if plan.has_routed_sinks else []
    return [*plan.sinks, *_dead_letters(config), *routed]


def _dead_letters(config: StreamsConfig) -> list[str]:
    topic = config.as_mapping()["errors.dead.letter.queue.topic.name"]
    return [] if topic is None else [topic]


def _write_batches(
    run: LiveRun, batches: list[LiveInput], folder: RunFolder, record: RunRecord
) -> None:
    """Write what has an end, once, before anything else starts."""
    for one in batches:
        known = record.inputs[one.topic]
        if one.kind == "batch" and not known.is_written:
            run.write_input(one.topic, _writing_once(one, record.application, known.topic_id))
            known.is_written = True
            folder.write(record)


def _start_parts(
    run: LiveRun,
    request: LiveRequest,
    inputs: list[LiveInput],
    folder: RunFolder,
    record: RunRecord,
) -> None:
    """Start one part after the other; `available_now` ends them in the same order."""
    trigger = {"availableNow": True} if request.available_now else request.trigger
    for one in inputs:
        if one.kind == "stream":
            run.start_input(one.topic, _writing(one, folder, record.application, trigger))
    if request.available_now:
        run.run_to_the_end()
    else:
        run.start_engine()
    run.watch()


def _writing_once(one: LiveInput, application: str, topic_id: str) -> Callable[[], None]:
    name = write_name(application, one.topic, topic_id)
    return lambda: sink_stream.write_once(one.frame, one.options, name)


def _writing(
    one: LiveInput, folder: RunFolder, name: str, trigger: Mapping[str, Any] | None
) -> Callable[[], StreamingQuery]:
    checkpoint = folder.checkpoint("inputs", one.topic)
    options = sink_stream.QueryOptions(checkpoint, trigger, name=f"{name}: {one.topic}")
    return lambda: sink_stream.start(one.frame, one.options, options)
