"""Options of Spark's JVM, as texts that Spark takes apart again, and those of the user."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

DEFAULT_OPTIONS = "spark.driver.defaultJavaOptions"
EXTRA_OPTIONS = "spark.driver.extraJavaOptions"
"""Spark starts its JVM with the default options first, and then with these."""

_COMMENT = re.compile(r"[ \t\f]*[#!]")
_GOES_ON = re.compile(r"(?<!\\)(?:\\\\)*\\$")
"""How a line ends that goes on in the next: in an odd number of backslashes."""
_SETTING = re.compile(r"[ \t\f]*((?:[^\\=:\s]|\\.)+)[ \t\f]*[=:]?[ \t\f]*(.*)")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def quoted(option: str) -> str:
    """Return an option as Spark's launcher reads one in a text of several: where it has blanks,
    quotes or backslashes, in double quotes. A folder may have them in its name.
    """
    if not re.search(r"[\s\"'\\]", option):
        return option
    escaped = option.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


def users_options() -> list[str]:
    """Return all texts in which the user may have given options for Spark's JVM, beside variables
    that all JVMs read. Some hold more than that.
    """
    defaults = default_settings()
    return [
        *(setting_in(defaults, name) for name in (DEFAULT_OPTIONS, EXTRA_OPTIONS)),
        *map(_read, ("java-opts", "spark-env.sh")),
        os.environ.get("PYSPARK_SUBMIT_ARGS", ""),
    ]


def default_settings() -> str:
    """Return Spark's file of default settings; "" if there is none."""
    return _read("spark-defaults.conf")


def _read(name: str) -> str:
    """Return a file of Spark's configuration; "" if there is none."""
    try:
        folder = os.environ.get("SPARK_CONF_DIR") or Path(_find_spark_home()) / "conf"
        return (Path(folder) / name).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def setting_in(defaults: str, name: str) -> str:
    """Return a setting of a file such as spark-defaults.conf, "" if it has none. The file has the
    form of Java's properties; of two settings of one name the last counts.
    """
    found = ""
    lines = iter(re.split(r"\r\n|\r|\n", defaults))
    for line in lines:
        if _COMMENT.match(line):
            continue
        whole = line
        while _GOES_ON.search(whole):
            whole = whole[:-1] + next(lines, "").lstrip(" \t\f")
        parts = _SETTING.fullmatch(whole)
        if parts is not None and _unescaped(parts[1]) == name:
            found = _unescaped(parts[2]).strip()
    # Java escapes a letter beyond 16 bits as two halves.
    return found.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda escape: _letter(escape[1]), text)


def _letter(escaped: str) -> str:
    return chr(int(escaped[1:], 16)) if len(escaped) > 1 else _CONTROLS.get(escaped, escaped)
