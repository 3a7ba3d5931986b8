"""How long the questions to a worker wait for others, to be sent together.

An exchange takes worker and driver half a millisecond each, whatever it carries, and drives the
data of the records in hand from the processor's caches. So questions that overlap wait for others
as long as the worker took for those before, and keys that are asked for one by one many times as
long, if enough of them come. A worker that has no records takes no time: its questions wait for
three milliseconds at the most, and those of a single asker never.
"""

from __future__ import annotations

from typing import NamedTuple

_SECONDS_MIN, _SECONDS_MAX = 0.003, 0.04
_KEYS_TIMES_BUSY, _KEYS_SECONDS_MAX = 10, 0.06
# For how long questions are expected to overlap again. The questions of one asker never do.
_CROWDED_SECONDS = 0.1
_ENOUGH_MAX = 32
# By how much fewer askers are expected with each exchange. Askers that do not wait for an answer
# ask now more, now less.
_FEWER_ASKERS = 0.9
# When fewer keys come in the longer waits, these save little, and hold up an asker that asks again
# and again. They are tried again after a while.
_WORTH_KEYS = 4.0
_FEW_SECONDS = 1.0


class Wait(NamedTuple):
    """How long a worker's poll waits for more questions."""

    enough: int
    """The poll waits no longer when so many ask."""
    seconds: float
    seconds_of_keys: float
    """How much longer it waits while only keys are asked for."""


NO_WAIT = Wait(0, 0.0, 0.0)


class Gathering:
    """Decides how long the questions to one worker wait, from those before."""

    def __init__(self) -> None:
        self._crowded_until = 0.0
        self._keys_a_wait = 2 * _WORTH_KEYS
        """How many keys came in the longer waits, the last ones the most."""
        self._few_until = 0.0
        """Until when keys are not waited for longer."""
        self._asker_count = 0.0
        """How many asked at the same time, at the most, in the last exchanges."""

    def overlapped(self, now: float) -> None:
        """Note that a question came while another was on its way."""
        self._crowded_until = now + _CROWDED_SECONDS

    def wait(self, now: float, asker_count: int | None, busy_seconds: float) -> Wait:
        """Return how long a poll waits: by how many had an answer or wait for one, None if that is
        not known, and by how long the worker took for the answers.
        """
        if now >= self._crowded_until:
            self._asker_count = 0.0
            return NO_WAIT
        enough = _ENOUGH_MAX
        if asker_count is not None:
            now_asking = float(min(asker_count, _ENOUGH_MAX))
            self._asker_count = max(now_asking, _FEWER_ASKERS * self._asker_count)
            # Most askers wait for their answer: no more than these are to come.
            enough = round(self._asker_count)
        seconds = max(_SECONDS_MIN, min(busy_seconds, _SECONDS_MAX))
        of_keys = min(_KEYS_TIMES_BUSY * busy_seconds, _KEYS_SECONDS_MAX) - seconds
        return Wait(enough, seconds, 0.0 if now < self._few_until else max(0.0, of_keys))

    def waited_for_keys(self, now: float, key_count: int) -> None:
        """Note how many keys came in the longer wait, all of it."""
        self._keys_a_wait = (self._keys_a_wait + key_count) / 2
        if self._keys_a_wait < _WORTH_KEYS:
            self._few_until, self._keys_a_wait = now + _FEW_SECONDS, _WORTH_KEYS
