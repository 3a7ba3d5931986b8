from penstock._engine.state.row_sender import Change, Put, Send, Target, Tell
from penstock.record import HeaderPairs

class RowSender:
    def __init__(self, send: Send, target: Target, /) -> None: ...
    def log(
        self, row_key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs, /
    ) -> None: ...
    def let_out(
        self,
        row_key: bytes,
        new: bytes | None,
        old: bytes | None,
        timestamp: int,
        headers: HeaderPairs,
        /,
    ) -> None: ...

def let_puts_out(changes: list[Change], put: Put, log: Tell | None, listener: Tell, /) -> int: ...
