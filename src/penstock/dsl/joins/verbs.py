"""The joins of a stream: with another stream, a table, a global table.

Which join it is follows from what the stream is joined with. A joiner takes `(left, right)`, that
of a `_with_key` verb `(key, left, right)`; the side that is missing in a left or outer join is
None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from penstock._engine.topology.checks import check_function, check_option, shown
from penstock.dsl.handle import (
    GlobalTableHandle,
    HasHandle,
    StreamHandle,
    TableHandle,
    handle_of,
)
from penstock.dsl.joins.stream_stream import StreamJoinKind, join_streams
from penstock.dsl.joins.stream_table import join_global_table, join_table
from penstock.dsl.options import Joined, NameLike, StreamJoined
from penstock.errors import TopologyError
from penstock.windows import JoinWindows

if TYPE_CHECKING:
    from penstock.dsl.global_table import GlobalKTable
    from penstock.dsl.stream import KStream
    from penstock.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")
R = TypeVar("R")


class StreamJoins(HasHandle[StreamHandle], Generic[K, V]):
    """The verbs of KStream that join it with something else.

    >>> from penstock import Consumed, JoinWindows, Produced, StreamJoined, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> orders = builder.stream("orders", Consumed(key=text, value=text))
    >>> payments = builder.stream("payments", Consumed(key=text, value=text))
    >>> orders.left_join(
    ...     payments,
    ...     lambda order, payment: f"{order} {payment or 'is not paid'}",
    ...     JoinWindows.of_time_difference(60_000, grace=5_000),
    ...     StreamJoined(key=text, value=text, other_value=text),
    ... ).to("states", Produced(key=text, value=text))
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     ordered = driver.create_input_topic("orders", text, text)
    ...     paid = driver.create_input_topic("payments", text, text)
    ...     ordered.pipe_input("ann", "shoes", timestamp=0)
    ...     ordered.pipe_input("bob", "hat", timestamp=1_000)
    ...     paid.pipe_input("bob", "paid by card", timestamp=30_000)
    ...     paid.pipe_input("cleo", "paid too much", timestamp=90_000)
    ...     driver.create_output_topic("states", text, text).read_key_values()
    [('bob', 'hat paid by card'), ('ann', 'shoes is not paid')]
    """

    __slots__ = ()

    @overload
    def join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V, V2], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def join(
        self,
        other: KTable[K, V2],
        joiner: Callable[[V, V2], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def join(
        self,
        other: GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[V, V2], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def join(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """Send a record for each pair of records of two streams that have the same key and are near
        enough in time (`windows`); or, with a table, for each record whose key has a row; or, with
        a global table, for each whose `key_selector(key, value)` has one. Java: KStream.join.

        Records of streams without a key or a value are dropped and counted.

        >>> show(orders.join(cities, lambda amount, city: f"{amount} to {city}"))
        [('ann', '5 to Oslo'), ('bob', '2 to Rome'), ('ann', '3 to Oslo')]
        """
        return self._join(other, _JOIN, how, options)

    @overload
    def join_with_key(
        self,
        other: KStream[K, V2],
        joiner: Callable[[K, V, V2], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def join_with_key(
        self,
        other: KTable[K, V2],
        joiner: Callable[[K, V, V2], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def join_with_key(
        self,
        other: GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[K, V, V2], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def join_with_key(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """As `join`, with a joiner that also takes the key: `joiner(key, left, right)`. Java:
        KStream.join.

        >>> show(orders.join_with_key(cities, lambda customer, amount, city: f"{customer}, {city}"))
        [('ann', 'ann, Oslo'), ('bob', 'bob, Rome'), ('ann', 'ann, Oslo')]
        """
        return self._join(other, _JOIN_WITH_KEY, how, options)

    @overload
    def left_join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V, V2 | None], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def left_join(
        self,
        other: KTable[K, V2],
        joiner: Callable[[V, V2 | None], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def left_join(
        self,
        other: GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[V, V2 | None], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def left_join(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """As `join`, and also send each record of this stream that matches nothing, joined with
        None; if it is joined with a stream, once its window is closed. Java: KStream.leftJoin.

        A record without a key is joined with None; one without a value is dropped and counted.

        >>> show(payments.left_join(cities, lambda amount, city: f"{amount} from {city}"))
        [('ann', '5 from Oslo'), ('cy', '7 from None')]
        """
        return self._join(other, _LEFT_JOIN, how, options)

    @overload
    def left_join_with_key(
        self,
        other: KStream[K, V2],
        joiner: Callable[[K, V, V2 | None], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def left_join_with_key(
        self,
        other: KTable[K, V2],
        joiner: Callable[[K, V, V2 | None], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def left_join_with_key(
        self,
        other: GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[K, V, V2 | None], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def left_join_with_key(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """As `left_join`, with a joiner that also takes the key: `joiner(key, left, right)`. Java:
        KStream.leftJoin.

        >>> show(payments.left_join_with_key(cities, lambda key, amount, city: (key, city)))
        [('ann', ('ann', 'Oslo')), ('cy', ('cy', None))]
        """
        return self._join(other, _LEFT_JOIN_WITH_KEY, how, options)

    def outer_join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V | None, V2 | None], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]:
        """As `join` of two streams, and also send each record of either that matches nothing,
        joined with None, once its window is closed. Java: KStream.outerJoin.

        >>> within = JoinWindows.of_time_difference(timedelta(minutes=3))
        >>> show(orders.outer_join(payments, lambda order, payment: (order, payment), within))
        [('ann', (5, None)), ('ann', (5, 5)), ('ann', (3, 5)), ('bob', (2, None))]
        """
        return self._join(other, _OUTER_JOIN, (joiner, windows, joined), {})

    def outer_join_with_key(
        self,
        other: KStream[K, V2],
        joiner: Callable[[K, V | None, V2 | None], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]:
        """As `outer_join`, with a joiner that also takes the key: `joiner(key, left, right)`. Java:
        KStream.outerJoin.

        >>> within = JoinWindows.of_time_difference(timedelta(minutes=3))
        >>> joined = orders.outer_join_with_key(payments, lambda key, left, right: right, within)
        >>> show(joined)
        [('ann', None), ('ann', 5), ('ann', 5), ('bob', None)]
        """
        return self._join(other, _OUTER_JOIN_WITH_KEY, (joiner, windows, joined), {})

    def _join(
        self, other: object, kind: StreamJoinKind, how: tuple[Any, ...], options: dict[str, Any]
    ) -> KStream[K, Any]:
        # KStream is the only class that inherits from this one.
        return cast("KStream[K, Any]", type(self)(_join(self._handle, other, kind, how, options)))


_JOIN = StreamJoinKind("join", keeps_left=False, keeps_right=False, with_key=False)
_JOIN_WITH_KEY = StreamJoinKind("join_with_key", keeps_left=False, keeps_right=False, with_key=True)
_LEFT_JOIN = StreamJoinKind("left_join", keeps_left=True, keeps_right=False, with_key=False)
_LEFT_JOIN_WITH_KEY = StreamJoinKind(
    "left_join_with_key", keeps_left=True, keeps_right=False, with_key=True
)
_OUTER_JOIN = StreamJoinKind("outer_join", keeps_left=True, keeps_right=True, with_key=False)
_OUTER_JOIN_WITH_KEY = StreamJoinKind(
    "outer_join_with_key", keeps_left=True, keeps_right=True, with_key=True
)


class _Join:
    """A join of one kind, with a method for each partner: the user may pass what it takes."""

    def __init__(self, stream: StreamHandle, kind: StreamJoinKind) -> None:
        self._stream = stream
        self._kind = kind

    def with_stream(
        self,
        other: StreamHandle,
        joiner: Callable[..., Any],
        windows: JoinWindows,
        joined: StreamJoined[Any, Any, Any] | None = None,
    ) -> StreamHandle:
        """Join with another stream."""
        kind = self._kind
        self._check_joiner(joiner)
        if not isinstance(windows, JoinWindows):
            msg = (
                f"{kind.verb} of two streams takes JoinWindows; got {shown(windows)}; pass how far "
                "apart two records may be: JoinWindows.of_time_difference(...)"
            )
            raise TopologyError(msg)
        option: StreamJoined[Any, Any, Any] = (
            StreamJoined() if joined is None else check_option(joined, StreamJoined, kind.verb)
        )
        return join_streams((self._stream, other), kind, joiner, windows, option)

    def with_table(
        self,
        other: TableHandle,
        joiner: Callable[..., Any],
        joined: Joined[Any, Any, Any] | None = None,
    ) -> StreamHandle:
        """Join with a table."""
        self._check_joiner(joiner)
        option: Joined[Any, Any, Any] = (
            Joined() if joined is None else check_option(joined, Joined, self._kind.verb)
        )
        return join_table(self._stream, other, self._kind, joiner, option)

    def with_global_table(
        self,
        other: GlobalTableHandle,
        key_selector: Callable[..., Any],
        joiner: Callable[..., Any],
        *,
        named: NameLike = None,
    ) -> StreamHandle:
        """Join with a global table."""
        check_function(key_selector, f"{self._kind.verb}'s key_selector", "key", "value")
        self._check_joiner(joiner)
        functions = (key_selector, joiner)
        return join_global_table(self._stream, other, self._kind, functions, named)

    def _check_joiner(self, joiner: object) -> None:
        verb = self._kind.verb
        if self._kind.with_key:
            check_function(joiner, f"{verb}'s joiner", "key", "left", "right")
        else:
            instead = f"{verb}_with_key"
            check_function(joiner, f"{verb}'s joiner", "left", "right", instead=instead)


def _join(
    stream: StreamHandle,
    other: object,
    kind: StreamJoinKind,
    how: tuple[Any, ...],
    options: dict[str, Any],
) -> StreamHandle:
    join = _Join(stream, kind)
    ways: dict[type[Any], tuple[str, Callable[..., StreamHandle]]] = {
        StreamHandle: ("a KStream", join.with_stream)
    }
    if not kind.keeps_right:
        ways[TableHandle] = ("a KTable", join.with_table)
        ways[GlobalTableHandle] = ("a GlobalKTable", join.with_global_table)
    right = next((right for each in ways if (right := handle_of(other, each)) is not None), None)
    if right is None:
        partners = "a KStream, a KTable or a GlobalKTable" if len(ways) > 1 else "another KStream"
        msg = f"{kind.verb} takes {partners}; got {shown(other)}"
        raise TopologyError(msg)
    if right.graph is not stream.graph:
        msg = (
            f"{kind.verb} takes a stream or table of the same StreamsBuilder; got one of another "
            "builder; make both with one"
        )
        raise TopologyError(msg)
    partner, draw = ways[type(right)]
    signature = inspect.signature(draw)
    try:
        signature.bind(right, *how, **options)
    except TypeError as error:
        takes = ", ".join(signature.parameters)
        msg = f"{kind.verb} with {partner} takes ({takes}); {error}"
        raise TopologyError(msg) from None
    return draw(right, *how, **options)
