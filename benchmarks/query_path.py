"""What a query costs driver and worker in processor time: `python -m benchmarks.query_path`.

In Python, one after the other, and over HTTP, from another process: one connection, and eight.
Without Spark, broker and records: a driver's control server, and a worker in another process that
waits for questions as an idle engine does. Processor time does not depend on what else the machine
does; the latency is that of an engine that has nothing else to do.
"""

from __future__ import annotations

import http.client
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection

from benchmarks import figures
from benchmarks.processes import processor_seconds
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.control.question_poller import QuestionPoller
from penstock._engine.http.access import Access
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.queries.asking import Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.queries.questions import QuestionPoll
from penstock.queries import ReadOnlyKeyValueStore
from penstock.queries.source import Source
from tests.console.simulated import Simulated
from tests.unit.queries.test_answering import CONFIG, FilledTask, topology

QUESTIONS, KEYS_AT_ONCE = 5_000, 50
_TOKEN = "a-token-of-the-benchmark"
_HEADERS = {"Authorization": f"Bearer {_TOKEN}"}


def main() -> None:
    """Measure and print."""
    queues = QuestionQueues()
    control = ControlServer("127.0.0.1", {"questions": Verb(QuestionPoll, queues.poll)})
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=_worker, args=(control.address, there), daemon=True)
    worker.start()
    pid: int = here.recv()
    (plan,) = plan_subtopologies(topology("plain"), "app")
    entry = StoreEntry("plain", plan.stores["plain"], {0: "0_0"}, 1)
    owners = [(("worker", pid), {"0_0": "running"})]  # one list, as a driver has between changes
    asker = Asker(
        lambda: owners,
        queues.ask,
        begin=queues.begin,
        begin_get=queues.begin_get,
    )
    view: ReadOnlyKeyValueStore[str, str] = ReadOnlyKeyValueStore(
        Source(entry, asker, CONFIG, ReadOptions())
    )
    keys = [f"k{number}" for number in range(KEYS_AT_ONCE)]
    print(_measured("one key", pid, lambda: view.get("a")))
    print(_measured(f"{KEYS_AT_ONCE} keys at once", pid, lambda: view.get_all(keys)))
    server = HttpServer(_Served(entry, asker), Listening("127.0.0.1", 0, Access(_TOKEN)))
    for connections in (1, 8):
        print(_over_http(server, pid, connections))
    server.close()
    worker.kill()


class _Served(Simulated):
    """An application with one store, that of the worker."""

    def __init__(self, entry: StoreEntry, asker: Asker) -> None:
        super().__init__(partitions=1, workers=1)
        self._entry, self._asker = entry, asker

    def stores(self) -> Mapping[str, StoreEntry]:
        return {"plain": self._entry}

    def source(self, name: str, options: ReadOptions, partition: int | None) -> Source:  # noqa: ARG002
        return Source(self._entry, self._asker, CONFIG, options)


def _over_http(server: HttpServer, worker: int, connections: int) -> str:
    """Ask from another process, in so many threads."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    port = int(server.url.rpartition(":")[2])
    asker = context.Process(target=_ask_over_http, args=(port, connections, there), daemon=True)
    asker.start()
    there.close()  # an asker that dies is the end of the pipe
    here.recv()
    in_worker, in_driver = processor_seconds(worker), time.process_time()
    here.send(None)
    taken = here.recv()
    in_worker = (processor_seconds(worker) - in_worker) / len(taken) * 1e6
    in_driver = (time.process_time() - in_driver) / len(taken) * 1e6
    found = figures.percentiles(taken)
    return (
        f"one key over HTTP, {connections} at once: worker {in_worker:.0f} us, "
        f"driver {in_driver:.0f} us; p50 {found['p50']} ms, p99 {found['p99']} ms"
    )


def _ask_over_http(port: int, connections: int, pipe: Connection) -> None:
    opened = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(connections)]
    taken: list[float] = []

    def ask(connection: http.client.HTTPConnection, times: int) -> None:
        for _ in range(times):
            begin = time.monotonic()
            connection.request("GET", "/stores/plain/a?uncommitted=true", headers=_HEADERS)
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            taken.append((time.monotonic() - begin) * 1000)

    for connection in opened:
        ask(connection, 20)
    taken.clear()
    pipe.send(None)
    pipe.recv()
    threads = [threading.Thread(target=ask, args=(one, QUESTIONS // connections)) for one in opened]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send(taken)


def _measured(what: str, worker: int, ask: Callable[[], object]) -> str:
    ask()
    taken = []
    in_worker, in_driver = processor_seconds(worker), time.process_time()
    for _ in range(QUESTIONS):
        begin = time.monotonic()
        ask()
        taken.append((time.monotonic() - begin) * 1000)
    in_worker = (processor_seconds(worker) - in_worker) / QUESTIONS * 1e6
    in_driver = (time.process_time() - in_driver) / QUESTIONS * 1e6
    found = figures.percentiles(taken)
    return (
        f"{what}: worker {in_worker:.0f} us, driver {in_driver:.0f} us; "
        f"p50 {found['p50']} ms, p99 {found['p99']} ms"
    )


def _worker(address: ControlAddress, pipe: Connection) -> None:
    server, engine, task = QueryServer(), _IdleEngine(), FilledTask("plain", 0)
    QuestionPoller(address, "worker", server, engine)
    pipe.send(os.getpid())
    while True:
        engine.woken.wait()
        engine.woken.clear()
        if server.has_questions:
            server.serve([task])


class _IdleEngine:
    """Waits until there is a question."""

    def __init__(self) -> None:
        self.woken = threading.Event()

    def wake(self) -> bool:
        self.woken.set()
        return True

    def doing(self) -> str:
        return "nothing"


if __name__ == "__main__":
    main()
