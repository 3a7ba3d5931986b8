from collections.abc import Callable
from typing import Any

from penstock._engine.runtime.position import RawScope
from penstock._engine.runtime.records import Output
from penstock.record import HeaderPairs

class Sender:
    def __init__(
        self,
        topic: str,
        key: tuple[type, Callable[[Any], bytes]],
        value: tuple[type, Callable[[Any], bytes]],
        scope: RawScope,
        collect: Callable[[Output], None],
        plainly: Callable[..., None],
        /,
    ) -> None: ...
    def send(
        self,
        key: Any,
        value: Any,
        timestamp: int,
        headers: HeaderPairs,
        partition: int | None = None,
        /,
    ) -> None: ...

class Guard:
    def __init__(
        self,
        collect: Callable[[Output], None],
        suspicious: int,
        look_closely: Callable[[Output], None],
        /,
    ) -> None: ...
    def collect(self, output: Output, /) -> None: ...
