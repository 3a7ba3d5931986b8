"""What a benchmark of queries reports, and that its questions come at their times."""

from __future__ import annotations

import socket

from benchmarks.queries import Window, idle_server, report, there_and_back
from benchmarks.query_sender import KeyConnection, over_connections, steadily


def test_windows_are_compared_with_the_one_without_queries_of_their_round() -> None:
    rounds = [
        {
            "none": Window(1000, 1.0, 0.5, 0.1),
            "the asker alone": Window(1000, 1.0, 0.5, 0.1),
            "http": Window(950, 1.0, 0.5225, 0.4, (1.0, 2.0), 1),
        },
        # The machine was slower, and the queries cost as much.
        {
            "none": Window(500, 1.0, 0.5, 0.1),
            "the asker alone": Window(490, 1.0, 0.5, 0.1),
            "http": Window(475, 1.0, 0.5225, 0.4, (3.0, 4.0)),
        },
    ]
    title, none, _asker, http = report(rounds)
    assert title.endswith("2 rounds")
    assert none == "none: 750 records/s, workers 750.00 us/record, driver 10 % of a core"
    assert "2 questions/s, p50 2.5 ms, p99 4.0 ms, 1 without an answer" in http
    cost = "throughput -5.0 % (± 0.0), workers' processor time +10.0 % (± 0.0)"
    assert http.endswith(f"{cost}; throughput against the asker alone -4.0 % (± 1.9)")


def test_an_application_that_becomes_faster_helps_no_load() -> None:
    records = iter(range(100, 200, 10))
    windows = there_and_back(
        {"none": 1.0, "http": 2.0, "multi-get": 3.0},
        lambda taken: Window(next(records), 1.0, 0.5, 0.1, (taken,)),
    )
    assert {one.rate for one in windows.values()} == {125.0}
    assert windows["http"] == Window(250, 2.0, 1.0, 0.2, (2.0, 2.0))


def test_a_run_without_rounds_says_so() -> None:
    assert report([]) == ["too few records for one round"]


def test_questions_are_asked_at_a_rate_and_counted() -> None:
    asked: list[str] = []
    keys = iter("abcdefghij")

    def ask(key: str) -> bool:
        asked.append(key)
        return key != "c"

    taken, failed = steadily([ask, ask], lambda: next(keys), 100.0, 0.1)
    assert (len(taken), failed, sorted(asked)) == (9, 1, list("abcdefghij"))


def test_questions_over_http_are_asked_again_where_the_server_has_hung_up() -> None:
    with idle_server() as url:
        connections = [KeyConnection(url, "-", "counts") for _ in range(3)]
        connections[1].socket.shutdown(socket.SHUT_RDWR)
        taken, failed = over_connections(connections, lambda: "a", 500.0, 0.02)
        for one in connections:
            one.socket.close()
    assert (len(taken), failed) == (10, 0)
