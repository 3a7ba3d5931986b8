"""Links work once, sessions for a while."""

from __future__ import annotations

from penstock._engine.http.console.logins import (
    LINK_SECONDS,
    LINKS_MAX,
    SESSION_SECONDS,
    SESSION_SECONDS_MAX,
    SESSIONS_MAX,
    Logins,
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_code_is_redeemed_once() -> None:
    logins = Logins(Clock())
    code = logins.new_code()
    session = logins.redeem(code)
    assert session is not None
    assert logins.accepts(session)
    assert logins.redeem(code) is None
    assert not logins.accepts(code)


def test_codes_and_sessions_of_strangers_are_refused() -> None:
    logins = Logins(Clock())
    for given in ("", "x", "\udcff", logins.new_code() + "x"):
        assert logins.redeem(given) is None
        assert not logins.accepts(given)


def test_a_link_that_is_not_used_ends() -> None:
    clock = Clock()
    logins = Logins(clock)
    code = logins.new_code()
    clock.now += LINK_SECONDS
    assert logins.redeem(code) is None


def test_a_session_lasts_while_it_is_used() -> None:
    clock = Clock()
    logins = Logins(clock)
    session = logins.open()
    for _ in range(3):
        clock.now += SESSION_SECONDS - 1
        assert logins.accepts(session)
    clock.now += SESSION_SECONDS
    assert not logins.accepts(session)


def test_a_session_ends_however_much_it_is_used() -> None:
    clock = Clock()
    logins = Logins(clock)
    session = logins.open()
    ends = clock.now + SESSION_SECONDS_MAX
    while clock.now + SESSION_SECONDS / 2 < ends:
        clock.now += SESSION_SECONDS / 2
        assert logins.accepts(session)
    clock.now = ends
    assert not logins.accepts(session)


def test_the_oldest_of_too_many_go() -> None:
    clock = Clock()
    logins = Logins(clock)
    codes, sessions = [], []
    for _ in range(LINKS_MAX + 1):
        clock.now += 1
        codes.append(logins.new_code())
    for _ in range(SESSIONS_MAX + 1):
        clock.now += 1
        sessions.append(logins.open())
    assert logins.redeem(codes[0]) is None
    assert logins.redeem(codes[-1]) is not None
    assert not logins.accepts(sessions[0])
    assert logins.accepts(sessions[-1])


def test_a_session_that_asks_for_links_does_not_outlive_its_limit() -> None:
    clock = Clock()
    logins = Logins(clock)
    session, began = logins.open(), clock.now
    while clock.now < began + SESSION_SECONDS_MAX:
        code = logins.code_of(session)
        assert code is not None
        other = logins.redeem(code)
        assert other is not None
        session = other
        clock.now += SESSION_SECONDS - 1
    assert not logins.accepts(session)
    assert logins.code_of(session) is None
    assert logins.code_of("of a stranger") is None


def test_a_link_of_a_session_ends_with_it() -> None:
    clock = Clock()
    logins = Logins(clock)
    session, began = logins.open(), clock.now
    while clock.now < began + SESSION_SECONDS_MAX - LINK_SECONDS:
        assert logins.accepts(session)
        clock.now += LINK_SECONDS
    code = logins.code_of(session)
    clock.now = began + SESSION_SECONDS_MAX
    assert code is not None
    assert logins.redeem(code) is None
    for _ in range(3):
        assert logins.redeem(logins.new_code()) is not None
    assert len(logins._limits) == 3 + len(logins._links)
