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
from penstock.dsl import global_table, table
from penstock.dsl.lookups import join_global_table, join_table
from penstock.dsl.options import Joined, NameLike, StreamJoined
from penstock.dsl.stream_joins import JoinKind, join_streams
from penstock.errors import TopologyError
from penstock.windows import JoinWindows

if TYPE_CHECKING:
    from penstock.dsl.stream import KStream

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")
R = TypeVar("R")


class StreamJoins(Generic[K, V]):
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
        other: table.KTable[K, V2],
        joiner: Callable[[V, V2], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def join(
        self,
        other: global_table.GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[V, V2], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def join(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """Give a record for each pair of records of two streams that have the same key and are near
        enough in time (`windows`); or, with a table, for each record whose key has a row; or, with
        a global table, for each whose `key_selector(key, value)` has one. Java: KStream.join.

        Records of streams without a key or a value are dropped and counted.
        """
        return _join(cast("KStream[K, V]", self), other, _JOIN, how, options)

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
        other: table.KTable[K, V2],
        joiner: Callable[[K, V, V2], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def join_with_key(
        self,
        other: global_table.GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[K, V, V2], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def join_with_key(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """As `join`, with a joiner that also takes the key: `joiner(key, left, right)`. Java:
        KStream.join.
        """
        return _join(cast("KStream[K, V]", self), other, _JOIN_WITH_KEY, how, options)

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
        other: table.KTable[K, V2],
        joiner: Callable[[V, V2 | None], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def left_join(
        self,
        other: global_table.GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[V, V2 | None], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def left_join(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """As `join`, and also give each record of this stream that matches nothing, joined with
        None; if it is joined with a stream, once its window is closed. Java: KStream.leftJoin.

        A record without a key is joined with None; one without a value is dropped and counted.
        """
        return _join(cast("KStream[K, V]", self), other, _LEFT_JOIN, how, options)

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
        other: table.KTable[K, V2],
        joiner: Callable[[K, V, V2 | None], R],
        joined: Joined[K, V, V2] | None = None,
    ) -> KStream[K, R]: ...

    @overload
    def left_join_with_key(
        self,
        other: global_table.GlobalKTable[K2, V2],
        key_selector: Callable[[K, V], K2 | None],
        joiner: Callable[[K, V, V2 | None], R],
        *,
        named: NameLike = None,
    ) -> KStream[K, R]: ...

    def left_join_with_key(self, other: Any, *how: Any, **options: Any) -> KStream[K, Any]:
        """As `left_join`, with a joiner that also takes the key: `joiner(key, left, right)`. Java:
        KStream.leftJoin.
        """
        return _join(cast("KStream[K, V]", self), other, _LEFT_JOIN_WITH_KEY, how, options)

    def outer_join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V | None, V2 | None], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]:
        """As `join` of two streams, and also give each record of either that matches nothing,
        joined with None, once its window is closed. Java: KStream.outerJoin.
        """
        return _join(cast("KStream[K, V]", self), other, _OUTER_JOIN, (joiner, windows, joined), {})

    def outer_join_with_key(
        self,
        other: KStream[K, V2],
        joiner: Callable[[K, V | None, V2 | None], R],
        windows: JoinWindows,
        joined: StreamJoined[K, V, V2] | None = None,
    ) -> KStream[K, R]:
        """As `outer_join`, with a joiner that also takes the key: `joiner(key, left, right)`. Java:
        KStream.outerJoin.
        """
        return _join(
            cast("KStream[K, V]", self), other, _OUTER_JOIN_WITH_KEY, (joiner, windows, joined), {}
        )


_JOIN = JoinKind("join", keeps_left=False, keeps_right=False, with_key=False)
_JOIN_WITH_KEY = JoinKind("join_with_key", keeps_left=False, keeps_right=False, with_key=True)
_LEFT_JOIN = JoinKind("left_join", keeps_left=True, keeps_right=False, with_key=False)
_LEFT_JOIN_WITH_KEY = JoinKind(
    "left_join_with_key", keeps_left=True, keeps_right=False, with_key=True
)
_OUTER_JOIN = JoinKind("outer_join", keeps_left=True, keeps_right=True, with_key=False)
_OUTER_JOIN_WITH_KEY = JoinKind(
    "outer_join_with_key", keeps_left=True, keeps_right=True, with_key=True
)


class _Join:
    """A join of one kind of a stream, with whatever it is joined with: what the user may pass is
    what its methods take.
    """

    def __init__(self, stream: KStream[Any, Any], kind: JoinKind) -> None:
        self._stream = stream
        self._kind = kind

    def with_stream(
        self,
        other: KStream[Any, Any],
        joiner: Callable[..., Any],
        windows: JoinWindows,
        joined: StreamJoined[Any, Any, Any] | None = None,
    ) -> KStream[Any, Any]:
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
        other: table.KTable[Any, Any],
        joiner: Callable[..., Any],
        joined: Joined[Any, Any, Any] | None = None,
    ) -> KStream[Any, Any]:
        """Join with a table."""
        self._check_joiner(joiner)
        option: Joined[Any, Any, Any] = (
            Joined() if joined is None else check_option(joined, Joined, self._kind.verb)
        )
        return join_table(self._stream, other, self._kind, joiner, option)

    def with_global_table(
        self,
        other: global_table.GlobalKTable[Any, Any],
        key_selector: Callable[..., Any],
        joiner: Callable[..., Any],
        *,
        named: NameLike = None,
    ) -> KStream[Any, Any]:
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
    stream: KStream[Any, Any],
    other: object,
    kind: JoinKind,
    how: tuple[Any, ...],
    options: dict[str, Any],
) -> KStream[Any, Any]:
    join = _Join(stream, kind)
    ways: dict[type, tuple[str, Callable[..., KStream[Any, Any]]]] = {
        StreamJoins: ("a KStream", join.with_stream)
    }
    if not kind.keeps_right:
        ways[table.KTable] = ("a KTable", join.with_table)
        ways[global_table.GlobalKTable] = ("a GlobalKTable", join.with_global_table)
    way = next((way for partner, way in ways.items() if isinstance(other, partner)), None)
    if way is None:
        partners = "a KStream, a KTable or a GlobalKTable" if len(ways) > 1 else "another KStream"
        msg = f"{kind.verb} takes {partners}; got {shown(other)}"
        raise TopologyError(msg)
    if cast("KStream[Any, Any]", other)._graph is not stream._graph:
        msg = (
            f"{kind.verb} takes a stream or table of the same StreamsBuilder; got one of another "
            "builder; make both with one"
        )
        raise TopologyError(msg)
    partner, draw = way
    signature = inspect.signature(draw)
    try:
        signature.bind(other, *how, **options)
    except TypeError as error:
        takes = ", ".join(signature.parameters)
        msg = f"{kind.verb} with {partner} takes ({takes}); {error}"
        raise TopologyError(msg) from None
    return draw(other, *how, **options)
