"""The running totals example, in the test driver."""

from __future__ import annotations

from examples.running_totals import Payment, Total, payment, text, topology, total
from penstock.testing import TopologyTestDriver


def test_payments_add_up_for_each_account() -> None:
    with TopologyTestDriver(topology) as driver:
        payments = driver.create_input_topic("payments", text, payment)
        totals = driver.create_output_topic("totals", text, total)
        big_spenders = driver.create_output_topic("big-spenders", text, total)
        for account, cents in (("ada", 420), ("boris", 99_000), ("ada", 80), ("boris", 1_500)):
            payments.pipe_input(account, Payment("bakery", cents))
        assert totals.read_key_values() == [
            ("ada", Total(1, 420)),
            ("boris", Total(1, 99_000)),
            ("ada", Total(2, 500)),
            ("boris", Total(2, 100_500)),
        ]
        assert big_spenders.read_key_values() == [("boris", Total(2, 100_500))]
