"""What runs the workers of an application: Spark, or this process while a program is developed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

# Not used here: exit functions that a program registers later run before that of this module.
from penstock._engine.spark import held_folder  # noqa: F401
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from penstock._engine.control.application_host import ApplicationHost, Surroundings
    from penstock._engine.planner.blueprint import Blueprint
    from penstock._engine.spark.session import EarlySession, SparkSession
    from penstock.settings import StreamsConfig

Host: TypeAlias = Literal["spark", "local"]
"""`spark` runs applications; `local` is for development: one worker in this process, no Spark."""

AnyHost: TypeAlias = "ApplicationHost[Any]"

DEVELOPMENT = "development host: one worker in this process; Spark is the host for production"
"""The line that says where an application runs that does not run on Spark."""


def check_host(host: str, spark: object) -> None:
    """Refuse a host that does not exist, or a session for the one that has none.

    Raises:
        ConfigError: it says why.
    """
    if host not in get_args(Host):
        msg = f"host must be 'spark' or 'local', for development; got {host!r}"
        raise ConfigError(msg)
    if host == "local" and spark is not None:
        msg = (
            "the development host runs without Spark, but KafkaStreams was given a session; leave "
            "out spark=..., or the option that asks for this host (host='local', --dev)"
        )
        raise ConfigError(msg)


def check_session(host: Host, spark: SparkSession | None) -> None:
    """Refuse a session, before anything starts, in which no application can run.

    Raises:
        ConfigError: it says why.
    """
    if host == "spark":
        from penstock._engine.spark.session import refuse_connect  # noqa: PLC0415

        refuse_connect(spark)


def check_local_broker(host: Host, spark: SparkSession | None, config: StreamsConfig) -> None:
    """Refuse the local broker, before it starts, where workers could not reach it.

    Raises:
        ConfigError: executors may run on other machines.
    """
    if host == "spark":
        from penstock._engine.spark.broker_reach import refuse_far_executors  # noqa: PLC0415

        refuse_far_executors(config, spark)


class Launch:
    """The start of a host: what takes long begins before the application is prepared."""

    def __init__(self, host: Host, spark: SparkSession | None, config: StreamsConfig) -> None:
        self._session: EarlySession | None = None
        if host == "spark":
            from penstock._engine.spark.session import EarlySession  # noqa: PLC0415

            self._session = EarlySession(config, spark)

    def start_session(self) -> None:
        """Start what the workers need, while the preparation waits for something else."""
        if self._session is not None:
            self._session.start()

    def start(self, blueprint: Blueprint, surroundings: Surroundings) -> AnyHost:
        """Start the workers of an application."""
        if self._session is None:
            from penstock._engine.local.local_host import LocalHost  # noqa: PLC0415

            return LocalHost(blueprint, surroundings)
        from penstock._engine.spark.streaming.query import ApplicationQuery  # noqa: PLC0415

        return ApplicationQuery(blueprint, self._session, surroundings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End what has begun, unless an application has it."""
        if self._session is not None:
            self._session.abandon()
