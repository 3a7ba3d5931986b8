"""Times as people type them: moments, and how long something is."""

from __future__ import annotations

import argparse
import re
from datetime import datetime, timedelta

_UNITS = {
    "ms": "milliseconds",
    "s": "seconds",
    "min": "minutes",
    "h": "hours",
    "d": "days",
}
_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|min|h|d)")
_ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def moment(text: str) -> datetime:
    """Read a moment such as 2026-01-31T12:00, in this machine's zone unless it names one."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as error:
        msg = f"it must be a time such as 2026-01-31T12:00 or 2026-01-31T12:00:00Z; got {text!r}"
        raise argparse.ArgumentTypeError(msg) from error


def moment_ms(text: str) -> int:
    """Read a moment as milliseconds since 1970."""
    return int(moment(text).timestamp() * 1000)


def duration(text: str) -> timedelta:
    """Read how long something is: 250ms, 30s, 5min, 2h, 7d, or Java's PT5M.

    >>> duration("5min"), duration("PT5M")
    (datetime.timedelta(seconds=300), datetime.timedelta(seconds=300))
    """
    if (match := _DURATION.fullmatch(text.strip())) is not None:
        return timedelta(**{_UNITS[match[2]]: float(match[1])})
    iso = _ISO_DURATION.fullmatch(text.strip())
    if iso is not None and any(iso.groups()):
        days, hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    msg = f"it must be a time such as 250ms, 30s, 5min, 2h or 7d; got {text!r}"
    raise argparse.ArgumentTypeError(msg)
