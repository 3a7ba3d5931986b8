"""A broker that several share: one that runs, or a new one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import loopback
from penstock._engine.kafka.local_broker import shared_broker as shared_broker_module
from penstock._engine.kafka.local_broker.broker import (
    LocalBroker,
    running_broker,
)
from penstock._engine.kafka.local_broker.directory_lock import DirectoryInUseError
from penstock._engine.kafka.local_broker.shared_broker import shared_broker
from tests.unit.engine.kafka.local_broker.conftest import Install


def test_shared_broker_is_a_new_one_if_none_runs(install: Install, tmp_path: Path) -> None:
    said: list[str] = []
    with shared_broker(data_dir=tmp_path / "data", progress=said.append) as servers:
        port = int(servers.rpartition(":")[2])
        assert loopback.broker_answers(port)
    assert not loopback.broker_answers(port)
    where = f"{servers} (data in {tmp_path / 'data'})"
    assert said == [f"no bootstrap.servers given: using the local broker at {where}"]


def test_shared_broker_is_the_one_that_runs_already(broker: LocalBroker) -> None:
    with broker:
        said: list[str] = []
        with shared_broker(data_dir=broker.data_dir, progress=said.append) as servers:
            assert servers == broker.bootstrap_servers
        assert loopback.broker_answers(broker.port)
    where = f"{servers} that runs already (data in {broker.data_dir})"
    assert said == [f"no bootstrap.servers given: using the local broker at {where}"]


def test_shared_broker_gives_up_on_a_directory_whose_broker_never_answers(
    broker: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_broker_module, "_SHARE_SECONDS", 0.1)
    with broker:
        (broker.data_dir / "broker.lock").write_text("")
        with (
            pytest.raises(DirectoryInUseError, match="another broker, which is just starting or"),
            shared_broker(data_dir=broker.data_dir),
        ):
            pass


def test_the_last_user_of_a_broker_in_a_process_stops_it(install: Install, tmp_path: Path) -> None:
    with ExitStack() as first, ExitStack() as second:
        servers = first.enter_context(shared_broker(data_dir=tmp_path / "data"))
        assert second.enter_context(shared_broker(data_dir=tmp_path / "data")) == servers
        first.close()
        assert running_broker(tmp_path / "data") == servers
        second.close()
        assert running_broker(tmp_path / "data") is None
