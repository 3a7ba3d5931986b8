"""Orders and payments: most are paid in time, some late, some twice, some not, some for nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from types import MappingProxyType

from examples.payment_matching import (
    Order,
    Payment,
    Settlement,
    order,
    payment,
    settings,
    settle,
    settlement,
    topology,
    windows,
)
from examples.stage.lifelike import between, chance, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import beside, clock, money, table

CUSTOMERS = ("ada", "boris", "chloe", "dmitri", "edith", "farid", "grace", "hugo", "ines", "jonas")
METHODS = ("card", "transfer", "invoice", "cash")
KINDS = ("paid-orders", "unpaid-orders", "wrong-amounts", "orphan-payments")
EMIT_INTERVAL = "__emit.interval.ms.kstreams.outer.join.spurious.results.fix__"
MINUTE = 60_000
WINDOW_IN_NUMBERS = 60
SHOWN = 6


class PaymentMatching(Show):
    name = "payment_matching"
    about = "an outer join in a window: matches, and what found no partner in time"
    inputs = ("orders", "payments")
    outputs = KINDS
    rate, step_ms = 10, 10_000
    settings = settings
    # What waits is let go with the next order, even if that is within a second of the one before.
    settings_when_checked = MappingProxyType({EMIT_INTERVAL: 0})

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._cents: Counter[str] = Counter()
        self._latest: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)

    topology = staticmethod(topology)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        """Give the order of this number, and what is paid now of earlier ones."""
        yield Message("orders", _key(number), order.serialize("", _order(number)), at)
        for earlier in range(max(0, number - 2 * WINDOW_IN_NUMBERS), number + 1):
            if earlier + _numbers_until_paid(earlier) == number:
                yield _payment(earlier, at)
                if happens(0.02, "paid twice", earlier):
                    yield _payment(earlier, at + 1)
        if happens(0.02, "orphan", number):
            value = Payment("transfer", between(100, 9_999, "orphan's", number))
            yield Message("payments", f"lost-{number}".encode(), payment.serialize("", value), at)

    def last(self, at: int) -> Iterator[Message]:
        """An hour later somebody orders again, in every partition: what waits is let go."""
        for number in range(20):
            key = f"closing-{number}".encode()
            yield Message("orders", key, order.serialize("", _order(number)), at + 60 * MINUTE)

    def take(self, record: Stored) -> None:
        found = settlement.deserialize("", record.value)
        assert found
        self._counts[record.topic] += 1
        self._cents[record.topic] += found.ordered_cents or found.paid_cents
        who = found.customer or found.method or ""
        amounts = f"{money(found.ordered_cents)} / {money(found.paid_cents)}"
        number = (record.key or b"").decode()
        self._latest[record.topic].append((clock(record.timestamp), number, who, amounts))
        del self._latest[record.topic][:-SHOWN]

    def lines(self) -> list[str]:
        sums = [(kind, self._counts[kind], money(self._cents[kind])) for kind in KINDS]
        summary = table("SETTLEMENTS", ("topic", "count", "amount"), sums)
        columns = ("at", "number", "who", "ordered / paid")
        alone = [table(kind.upper(), columns, self._latest[kind][::-1]) for kind in KINDS[1:]]
        return [*beside(summary, alone[0]), "", *beside(alone[1], alone[2])]

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        orders: dict[bytes, list[Stored]] = defaultdict(list)
        payments: dict[bytes, list[Stored]] = defaultdict(list)
        time: dict[int, int] = defaultdict(int)
        for record in inputs:
            (orders if record.topic == "orders" else payments)[record.key or b""].append(record)
            time[record.partition] = max(time[record.partition], record.timestamp)
        found: dict[str, Counter[tuple[str, str]]] = {kind: Counter() for kind in KINDS}
        for key in orders.keys() | payments.keys():
            for result in _settlements(orders[key], payments[key], time):
                found[_kind(result)][key.decode(), repr(result)] += 1
        return found

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        found: dict[str, Counter[tuple[str, str]]] = {kind: Counter() for kind in KINDS}
        for record in outputs:
            result = settlement.deserialize("", record.value)
            found[record.topic][(record.key or b"").decode(), repr(result)] += 1
        return found


def _key(number: int) -> bytes:
    return f"order-{number:06}".encode()


def _order(number: int) -> Order:
    cents = 500 + int(30_000 * chance("cents", number) ** 3)
    return Order(pick(CUSTOMERS, "customer", number, favour=1.8), cents)


@cache
def _numbers_until_paid(number: int) -> int:
    """Say how many orders later it is paid: at once, in ten minutes, later, or never."""
    if happens(0.06, "never paid", number):
        return 10**9
    if happens(0.04, "paid late", number):
        return between(WINDOW_IN_NUMBERS + 1, 2 * WINDOW_IN_NUMBERS, "how late", number)
    return int(WINDOW_IN_NUMBERS * chance("when paid", number) ** 2)


def _payment(number: int, at: int) -> Message:
    cents = _order(number).cents
    if happens(0.03, "wrong amount", number):
        cents -= 100
    value = Payment(pick(METHODS, "method", number), cents)
    # The clock of the bank is not ours.
    then = at - between(0, MINUTE // 2, "bank's clock", number)
    return Message("payments", _key(number), payment.serialize("", value), then)


def _settlements(
    orders: list[Stored], payments: list[Stored], time: dict[int, int]
) -> Iterator[Settlement]:
    """Settle all orders and payments of one number; `time` is that of the partitions at the end."""
    pairs = [
        (one, other)
        for one in orders
        for other in payments
        if one.timestamp - windows.before_ms <= other.timestamp <= one.timestamp + windows.after_ms
    ]
    for one, other in pairs:
        yield settle(order.deserialize("", one.value), payment.deserialize("", other.value))
    for one in orders:
        over = one.timestamp + windows.after_ms + windows.grace_ms < time[one.partition]
        if over and all(one is not paired for paired, _ in pairs):
            yield settle(order.deserialize("", one.value), None)
    for other in payments:
        over = other.timestamp + windows.before_ms + windows.grace_ms < time[other.partition]
        if over and all(other is not paired for _, paired in pairs):
            yield settle(None, payment.deserialize("", other.value))


def _kind(result: Settlement) -> str:
    if result.customer is None:
        return "orphan-payments"
    if result.method is None:
        return "unpaid-orders"
    return "paid-orders" if result.is_paid else "wrong-amounts"
