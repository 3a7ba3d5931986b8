"""Customers and their orders: some move up, some leave, some were never known; some orders come
late.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from examples.order_enrichment import (
    EnrichedOrder,
    Order,
    Profile,
    enrich,
    enriched,
    order,
    profile,
    settings,
    topology,
)
from examples.stage.lifelike import between, chance, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, beside, money, table

NAMES = ("Ada", "Boris", "Chloe", "Dmitri", "Edith", "Farid", "Grace", "Hugo", "Ines", "Jonas")
CUSTOMERS = [f"customer-{number:03}" for number in range(120)]
TIERS = ("bronze", "silver", "gold")
LIMITS_CENTS = {"bronze": 10_000, "silver": 25_000, "gold": 100_000}


class OrderEnrichment(Show):
    name = "order_enrichment"
    about = "orders with the profile of their customer at that time, or UNKNOWN"
    inputs = ("customer-profiles", "customer-orders")
    outputs = ("enriched-orders",)
    rate, step_ms = 60, 500
    settings = settings

    def __init__(self) -> None:
        self._orders: Counter[str] = Counter()
        self._cents: Counter[str] = Counter()
        self._over: Counter[str] = Counter()
        self._latest: list[EnrichedOrder] = []

    topology = staticmethod(topology)

    def first(self, at: int) -> Iterator[Message]:
        """The first hundred are known from the beginning."""
        for number, customer in enumerate(CUSTOMERS[:100]):
            value = _profile(customer, pick(TIERS, "tier", number, favour=2))
            yield _profile_message(customer, value, at - 60_000)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        if happens(0.03, "profile changes", number):
            customer = pick(CUSTOMERS, "who changes", number)
            leaves = happens(0.2, "leaves", number)
            changed = None if leaves else _profile(customer, pick(TIERS, "new tier", number))
            yield _profile_message(customer, changed, at - 1)
        customer = pick(CUSTOMERS, "customer", number, favour=1.5)
        cents = 300 + int(60_000 * chance("cents", number) ** 3)
        name = f"order-{number:06}"
        behind = between(1, 60_000, "how late", number) if happens(0.1, "late", number) else 0
        value = order.serialize("", Order(name, customer, cents))
        yield Message("customer-orders", name.encode(), value, at - behind)

    def take(self, record: Stored) -> None:
        found = enriched.deserialize("", record.value)
        assert found
        self._orders[found.tier] += 1
        self._cents[found.tier] += found.cents
        self._over[found.tier] += not found.within_credit_limit
        self._latest = [*self._latest, found][-ROWS:]

    def lines(self) -> list[str]:
        tiers = [
            (tier, self._orders[tier], money(self._cents[tier]), self._over[tier])
            for tier in (*TIERS[::-1], "unknown")
        ]
        latest = [
            (order.number, order.customer_name, order.tier, money(order.cents))
            for order in self._latest[::-1]
        ]
        return beside(
            table("BY TIER", ("tier", "orders", "amount", "over limit"), tiers),
            table("LATEST ORDERS", ("order", "customer", "tier", "amount"), latest),
        )

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        inputs = list(inputs)
        versions: dict[str, list[tuple[int, Profile | None]]] = defaultdict(list)
        for record in inputs:
            if record.topic == "customer-profiles":
                version = (record.timestamp, profile.deserialize("", record.value))
                versions[(record.key or b"").decode()].append(version)
        answer = {}
        for record in inputs:
            if record.topic == "customer-orders":
                placed = order.deserialize("", record.value)
                assert placed
                known = [value for at, value in versions[placed.customer] if at <= record.timestamp]
                answer[placed.number] = enrich(placed, known[-1] if known else None)
        return {"orders": answer}

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        found = [enriched.deserialize("", record.value) for record in outputs]
        orders = {order.number: order for order in found if order}
        return {"orders": orders if len(orders) == len(found) else found}


def _profile(customer: str, tier: str) -> Profile:
    name = f"{pick(NAMES, 'name', customer)} {customer[-3:]}"
    return Profile(name, tier, LIMITS_CENTS[tier])


def _profile_message(customer: str, value: Profile | None, at: int) -> Message:
    data = None if value is None else profile.serialize("", value)
    return Message("customer-profiles", customer.encode(), data, at)
