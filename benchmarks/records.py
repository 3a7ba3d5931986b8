"""What the topics hold. `java/Records.java` has the twins, with the same fields in the same order,
so that both write the same bytes, and cannot be changed either.
"""

from __future__ import annotations

import msgspec


class Order(msgspec.Struct, frozen=True, gc=False):
    """An order of a user, also a purchase with a card."""

    id: int
    user: str
    product: str
    cents: int
    quantity: int
    at: int


class Line(msgspec.Struct, frozen=True, gc=False):
    """An order made smaller."""

    id: int
    user: str
    total: int


class Profile(msgspec.Struct, frozen=True, gc=False):
    """What is known of a user."""

    user: str
    name: str
    tier: str
    visits: int


class Enriched(msgspec.Struct, frozen=True, gc=False):
    """An order and its user's profile."""

    id: int
    name: str
    tier: str
    total: int


class Payment(msgspec.Struct, frozen=True, gc=False):
    """A payment of an order."""

    order: str
    method: str
    cents: int


class Settled(msgspec.Struct, frozen=True, gc=False):
    """An order and its payment."""

    id: int
    method: str
    open: int


class Visit(msgspec.Struct, frozen=True, gc=False):
    """A session's orders."""

    orders: int = 0
    cents: int = 0

    def plus(self, order: Order) -> Visit:
        """Add an order."""
        return Visit(self.orders + 1, self.cents + order.cents)

    def and_(self, other: Visit) -> Visit:
        """Add another session."""
        return Visit(self.orders + other.orders, self.cents + other.cents)


class Card(msgspec.Struct, frozen=True, gc=False):
    """What is known of a card in a window; `fast`: three purchases within a second."""

    count: int = 0
    cents: int = 0
    last: int = -1_000_000
    before: int = -1_000_000
    fast: bool = False

    def plus(self, order: Order) -> Card:
        """Add a purchase."""
        three = abs(order.at - self.before) < 1_000
        return Card(
            self.count + 1, self.cents + order.cents, order.at, self.last, self.fast or three
        )

    @property
    def suspicious(self) -> bool:
        """Once true it stays true, so the last alert of a window is the same for everybody."""
        return self.fast or self.count > 60 or self.cents > 500_000


class Alert(msgspec.Struct, frozen=True, gc=False):
    """A card that should be looked at."""

    card: str
    start: int
    count: int
    cents: int
    fast: bool
