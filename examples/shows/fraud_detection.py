"""Cards for the fraud detection: most buy bread, some are stolen, and some tills send garbage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from examples.fraud_detection import (
    FAST_COUNT,
    FAST_MS,
    MANY,
    MUCH_CENTS,
    Alert,
    Transaction,
    alerts,
    settings,
    text,
    topology,
    transaction,
    windows,
)
from examples.stage.lifelike import between, chance, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, clock, money, table
from penstock import SerializationError

CARDS = [f"card-{number:04}" for number in range(400)]
SHOPS = ("bakery", "grocer", "pharmacy", "railway", "cinema", "bookshop", "florist", "jeweller")
THIEF_EVERY = 150


class FraudDetection(Show):
    name = "fraud_detection"
    about = "alerts by amount, count, velocity and countries of a card in five minutes"
    inputs = ("transactions",)
    outputs = ("fraud-alerts", "unreadable-transactions")
    settings = settings

    def __init__(self) -> None:
        self._alerts: dict[tuple[str, int], Alert] = {}
        self._unreadable = 0

    topology = staticmethod(topology)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        if happens(0.005, "garbage", number):
            yield Message("transactions", b"card-0007", b'{"cents": 12', at)
            return
        yield _message(self._transaction(number, at), pick(CARDS, "card", number, favour=1.6), at)
        if number % THIEF_EVERY == 0:
            yield from self._theft(number, at)

    def _transaction(self, number: int, at: int) -> Transaction:
        cents = 150 + int(40_000 * chance("cents", number) ** 4)
        if happens(0.01, "refund", number):
            cents = -cents
        # Some tills send what they have now and then; some are out of reach for long.
        behind = between(0, 60_000, "behind", number) if happens(0.05, "late", number) else 0
        country = "SE" if happens(0.002, "abroad", number) else "DE"
        return Transaction(cents, pick(SHOPS, "shop", number), country, at - behind)

    def _theft(self, number: int, at: int) -> Iterator[Message]:
        """Somebody has found a card and makes use of it, while it works."""
        card = pick(CARDS, "stolen", number)
        for purchase in range(between(4, 14, "greed", number)):
            cents = between(5_000, 90_000, "loot", number, purchase)
            then = at + purchase * between(1_000, 12_000, "haste", number)
            yield _message(Transaction(cents, "jeweller", "DE", then), card, then)

    def take(self, record: Stored) -> None:
        if record.topic != "fraud-alerts":
            self._unreadable += 1
            return
        for key, alert in _alerts([record]).items():
            self._alerts.pop(key, None)  # the latest are last
            self._alerts[key] = alert

    def lines(self) -> list[str]:
        latest = list(self._alerts.items())[-ROWS:][::-1]
        rows = [
            (clock(at), card, alert.count, money(alert.cents), ", ".join(alert.reasons))
            for (card, at), alert in latest
        ]
        title = f"ALERTS ({len(self._alerts):,}; {self._unreadable:,} unreadable transactions)"
        return table(title, ("window", "card", "count", "amount", "because of"), rows)

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        activity: dict[tuple[str, int], list[Transaction]] = defaultdict(list)
        time: dict[int, int] = defaultdict(lambda: -1)
        unreadable = 0
        for record in inputs:
            try:
                value = transaction.deserialize("", record.value)
            except SerializationError:
                unreadable += 1
                continue
            assert value
            # Stream time is that of the partition, and moves on with every record that is read.
            time[record.partition] = max(time[record.partition], value.at)
            (window,) = windows.windows_for(value.at)
            if value.cents > 0 and windows.close_time(window) > time[record.partition]:
                activity[(record.key or b"").decode(), window.start].append(value)
        found = {key: _judge(key[1], made) for key, made in activity.items()}
        suspicious = {key: alert for key, alert in found.items() if alert.reasons}
        return {"alerts": suspicious, "unreadable": unreadable}

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        outputs = list(outputs)
        raised = [record for record in outputs if record.topic == "fraud-alerts"]
        return {"alerts": _alerts(raised), "unreadable": len(outputs) - len(raised)}


def _message(value: Transaction, card: str, at: int) -> Message:
    return Message("transactions", card.encode(), transaction.serialize("", value), at)


def _alerts(records: Iterable[Stored]) -> dict[tuple[str, int], Alert]:
    """Give the latest alert of each card and window."""
    found = {}
    for record in records:
        alert = alerts.deserialize("", record.value)
        assert alert
        found[text.deserialize("", record.key) or "", alert.window] = alert
    return found


def _judge(window: int, made: list[Transaction]) -> Alert:
    times = sorted(transaction.at for transaction in made)
    cents = sum(transaction.cents for transaction in made)
    bursts = (times[at + FAST_COUNT - 1] - times[at] for at in range(len(times) - FAST_COUNT + 1))
    reasons = {
        "amount": cents >= MUCH_CENTS,
        "count": len(made) >= MANY,
        "velocity": min(bursts, default=FAST_MS + 1) <= FAST_MS,
        "countries": len({transaction.country for transaction in made}) > 1,
    }
    return Alert(window, [why for why, applies in reasons.items() if applies], len(made), cents)
