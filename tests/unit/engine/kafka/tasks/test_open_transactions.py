"""A transaction that stays open before the records of an input is told, once."""

from __future__ import annotations

import pytest

from penstock._engine.kafka.tasks.open_transactions import HeldBack, OpenTransactions

ORDERS = ("orders", 0)


class Inputs:
    def __init__(self, held: dict[tuple[str, int], HeldBack]) -> None:
        self.held = held

    def held_back(self) -> dict[tuple[str, int], HeldBack]:
        return self.held


def warnings_at(
    watch: OpenTransactions, times: range, caplog: pytest.LogCaptureFixture
) -> list[str]:
    caplog.clear()
    for now in times:
        watch.look(float(now))
    return [record.getMessage() for record in caplog.records]


def test_a_transaction_that_stays_open_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    watch = OpenTransactions(Inputs({ORDERS: HeldBack(7, 42)}))
    assert warnings_at(watch, range(100, 155), caplog) == []
    (text,) = warnings_at(watch, range(155, 400), caplog)
    assert text.startswith("42 records of orders/0 at offset 7 have waited for 60 s behind")
    assert "describe-producers --topic orders --partition 0" in text


def test_the_next_transaction_that_stays_open_is_told_as_well(
    caplog: pytest.LogCaptureFixture,
) -> None:
    inputs = Inputs({ORDERS: HeldBack(7, 42)})
    watch = OpenTransactions(inputs)
    assert len(warnings_at(watch, range(100, 200), caplog)) == 1
    inputs.held = {ORDERS: HeldBack(90, 3)}
    assert len(warnings_at(watch, range(200, 300), caplog)) == 1


def test_transactions_that_end_in_time_are_usual(caplog: pytest.LogCaptureFixture) -> None:
    inputs = Inputs({})
    watch = OpenTransactions(inputs)
    for begin in range(100, 500, 50):
        inputs.held = {ORDERS: HeldBack(begin, 5)}
        assert warnings_at(watch, range(begin, begin + 50), caplog) == []


def test_after_a_pause_the_time_counts_anew(caplog: pytest.LogCaptureFixture) -> None:
    watch = OpenTransactions(Inputs({ORDERS: HeldBack(7, 42)}))
    assert warnings_at(watch, range(100, 150), caplog) == []
    assert warnings_at(watch, range(1000, 1050), caplog) == []
    assert len(warnings_at(watch, range(1050, 1100), caplog)) == 1


def test_of_many_partitions_three_are_named(caplog: pytest.LogCaptureFixture) -> None:
    watch = OpenTransactions(Inputs({("orders", number): HeldBack(0, 1) for number in range(9)}))
    (text,) = warnings_at(watch, range(100, 200), caplog)
    assert text.startswith("9 records of orders/0 at offset 0, orders/1 at offset 0, orders/2 at")
    assert " and 6 more have waited" in text
