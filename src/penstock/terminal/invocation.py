"""The options of `penstock run` or `backfill`, for the KafkaStreams that the program makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig
from penstock.settings.config import given_settings, on_cluster_of_environment, with_options
from penstock.settings.keys import dotted_keys
from penstock.settings.sources import CLUSTER_VARIABLE
from penstock.terminal.display import Panel


@dataclass(slots=True)
class Invocation:
    """Options that override the program's own, and whether it made an application at all."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    available_now: bool = False
    quiet: bool = False
    panel: Panel | None = None
    host: Literal["spark", "local"] | None = None
    """What runs the workers, whatever the program says."""
    timings: bool = False
    """Whether the stages of the start are shown with their times."""
    open_broker: Callable[[], None] | None = None
    """Starts the local broker, if it is needed and none runs."""
    console: bool = False
    tells_cluster: bool = True
    """Whether the application says which cluster it is on, and what names it."""
    made: str | None = None
    """The id of the application that the program has made, None if it has made none."""
    answered: bool = False
    """Whether the program has run something itself: an application, or a job."""
    instead: Callable[[Topology, StreamsConfig], None] | None = None
    """What is done with the application where it would run."""
    look: Callable[[Topology, StreamsConfig], None] | None = None
    """Called with an application when it is made, before it does anything."""


_current = Invocation(tells_cluster=False)


def current() -> Invocation:
    """Return the options in force: none, unless one of our commands runs the program."""
    return _current


def settings_with_options(
    config: Mapping[str, Any] | StreamsConfig | None,
) -> Mapping[str, Any] | StreamsConfig | None:
    """Return settings of the program with those of the command line, which count more."""
    options = _current.settings
    if not options:
        return config
    return {**dotted_keys(given_settings(config)), **dotted_keys(options)}


def settled(config: Mapping[str, Any] | StreamsConfig) -> StreamsConfig:
    """Return the settings of an application: those of the program, before them those of the command
    line; where neither names a cluster, with those of the environment.
    """
    made = config if isinstance(config, StreamsConfig) else StreamsConfig(config)
    if _current.settings:
        made = with_options(made, _current.settings)
    return on_cluster_of_environment(made, _current.settings)


def cluster_line(config: StreamsConfig, options: Mapping[str, Any]) -> str:
    """Return the line by which every command says on which cluster it is, and what names it.
    `options` are the settings of the command line.
    """
    named_by = "the program"
    if "bootstrap.servers" in dotted_keys(options):
        named_by = "the command line"
    elif config.has_cluster_of_environment:
        named_by = CLUSTER_VARIABLE
    return f"using the cluster at {config.bootstrap_servers}, named by {named_by}"


@contextmanager
def invoked(invocation: Invocation) -> Iterator[None]:
    """Put options in force for the block."""
    global _current  # noqa: PLW0603  # a program that is run has no other way to get them
    before, _current = _current, invocation
    try:
        yield
    finally:
        _current = before
