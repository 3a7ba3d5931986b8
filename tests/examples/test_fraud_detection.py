"""The fraud detection example, in the test driver."""

from __future__ import annotations

import pytest

from examples.fraud_detection import Alert, Transaction, alerts, settings, text, topology
from examples.fraud_detection import transaction as transactions
from penstock import serdes
from penstock.testing import TopologyTestDriver

MINUTE = 60_000


def raised(*made: tuple[int, int, str]) -> list[tuple[str | None, Alert | None]]:
    """Return the alerts about one card, by (seconds, cents, country) of its transactions."""
    with TopologyTestDriver(topology(), settings) as driver:
        topic = driver.create_input_topic("transactions", text, transactions)
        for seconds, cents, country in made:
            # The time of the record itself is another: it is not asked for.
            topic.pipe_input("c", Transaction(cents, "shop", country, seconds * 1000), timestamp=9)
        return driver.create_output_topic("fraud-alerts", text, alerts).read_key_values()


def test_a_card_that_buys_bread_raises_no_alert() -> None:
    assert raised((0, 300, "DE"), (100, 420, "DE"), (200, 250, "DE")) == []


@pytest.mark.parametrize(
    ("made", "alert"),
    [
        ([(0, 250_000, "DE"), (60, 250_000, "DE")], Alert(0, ["amount"], 2, 500_000)),
        ([(at * 25, 100, "DE") for at in range(10)], Alert(0, ["count"], 10, 1000)),
        ([(0, 9, "DE"), *((100 + at, 9, "DE") for at in range(4))], Alert(0, ["velocity"], 5, 45)),
        ([(0, 100, "DE"), (290, 100, "SE")], Alert(0, ["countries"], 2, 200)),
    ],
    ids=lambda part: ",".join(part.reasons) if isinstance(part, Alert) else "",
)
def test_each_reason_raises_an_alert(made: list[tuple[int, int, str]], alert: Alert) -> None:
    assert raised(*made) == [("c", alert)]


def test_windows_do_not_know_of_each_other_and_refunds_do_not_count() -> None:
    assert raised((0, 400_000, "DE"), (300, 400_000, "DE"), (301, -1, "SE")) == []


def test_a_late_transaction_counts_within_the_grace_and_not_after_it() -> None:
    in_time = [(10, 300_000, "DE"), (329, 100, "DE"), (20, 200_000, "DE")]
    assert raised(*in_time) == [("c", Alert(0, ["amount"], 2, 500_000))]
    too_late = [(10, 300_000, "DE"), (330, 100, "DE"), (20, 200_000, "DE")]
    assert raised(*too_late) == []


def test_what_cannot_be_read_is_set_aside() -> None:
    raw = serdes.bytes()
    with TopologyTestDriver(topology(), settings) as driver:
        driver.create_input_topic("transactions", raw, raw).pipe_input(b"c", b"{broken")
        letters = driver.create_output_topic("unreadable-transactions", raw, raw).read_records()
        assert [(letter.key, letter.value) for letter in letters] == [(b"c", b"{broken")]
