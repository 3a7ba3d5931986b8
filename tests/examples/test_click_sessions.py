"""The click sessions example, in the test driver."""

from __future__ import annotations

from examples.click_sessions import Click, Session, click, session, text, topology, user_session
from penstock import Windowed
from penstock.testing import TopologyTestDriver

MINUTE = 60_000


def test_sessions_grow_join_and_are_over_in_the_end() -> None:
    with TopologyTestDriver(topology()) as driver:
        clicks = driver.create_input_topic("clicks", text, click)
        open_sessions = driver.create_output_topic("open-sessions", user_session, session)
        finished = driver.create_output_topic("finished-sessions", user_session, session)
        clicks.pipe_input("ada", Click("home"), timestamp=0)
        clicks.pipe_input("ada", Click("cart"), timestamp=32 * MINUTE)
        # Late, and within 30 minutes of both: now it is one session.
        clicks.pipe_input("ada", Click("home"), timestamp=28 * MINUTE)
        whole = Windowed("ada", 0, 32 * MINUTE), Session(3, {"cart": 1, "home": 2})
        assert open_sessions.read_key_values() == [
            (Windowed("ada", 0, 0), Session(1, {"home": 1})),
            (Windowed("ada", 32 * MINUTE, 32 * MINUTE), Session(1, {"cart": 1})),
            (Windowed("ada", 0, 0), None),
            (Windowed("ada", 32 * MINUTE, 32 * MINUTE), None),
            whole,
        ]
        assert finished.read_key_values() == []
        # 30 minutes of silence and 5 of grace: anybody's click tells the time.
        clicks.pipe_input("boris", Click("help"), timestamp=67 * MINUTE - 1)
        assert finished.read_key_values() == []
        clicks.pipe_input("boris", Click("help"), timestamp=67 * MINUTE)
        assert finished.read_key_values() == [whole]
