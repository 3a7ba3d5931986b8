"""The page of the settings, from the table by which they are read."""

from __future__ import annotations

import inspect
import tempfile
from typing import Any

from penstock.settings.table import BY_KEY, NOT_HONOURED, RENAMED, SETTINGS, Setting

_HEAD = """\
# Settings

Keys and defaults are those of Kafka Streams 4.3, unless they begin with `penstock.`. This page is written
from the table in the code by `python -m scripts.reference`.

A setting is given to `KafkaStreams` in a dict, by `StreamsConfig.from_file` (`.toml`, `.properties`), by
`StreamsConfig.from_environment` (`PENSTOCK_COMMIT_INTERVAL_MS`), or on the command line
(`--settings FILE`, `--set KEY=VALUE`). Keys may be written in snake_case. A key that nobody knows is an error
that names the nearest one:

```python
from penstock import ConfigError, StreamsConfig

try:
    StreamsConfig({"application.id": "shop", "commit.intervall.ms": 500})
except ConfigError as error:
    print(error)
```

```text
setting 'commit.intervall.ms' is not known; did you mean 'commit.interval.ms'? (settings of your own start with 'app.')
```

What begins with `consumer.`, `main.consumer.`, `restore.consumer.`, `global.consumer.`, `producer.`, `admin.`
is for those Kafka clients; `topic.` is for internal topics; `app.` is yours, and reaches processors by
`context.app_configs()`. Java's client keys are translated to librdkafka's, whose own may be given as well.
Values of keys that hold secrets are never shown.
"""


def page() -> str:
    """Write the page."""
    lines = [_row(setting) for setting in SETTINGS]
    renamed = [f"| `{old}` | `{new}` |" for old, new in sorted(RENAMED.items())]
    refused = ", ".join(f"`{key}`" for key in sorted(NOT_HONOURED))
    return "\n".join(
        [
            _HEAD,
            "## All of them",
            "",
            "| key | default | unit | |",
            "|---|---|---|---|",
            *lines,
            "",
            "## Renamed by Kafka Streams",
            "",
            "The old names are refused, with the new one.",
            "",
            "| old | new |",
            "|---|---|",
            *renamed,
            "",
            "## Refused",
            "",
            "These keys of Kafka Streams have no effect here. Who sets one is told so at the start:",
            "",
            f"{refused}.",
            "",
        ]
    )


def _row(setting: Setting) -> str:
    assert BY_KEY[setting.key] is setting
    cells = (f"`{setting.key}`", _default(setting.default), setting.unit or "", setting.effect)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(value: Any) -> str:
    if value is None:
        return ""
    if inspect.isclass(value):
        return f"`{value.__name__}`"
    if isinstance(value, (str, int)):
        # Where temporary files are is each machine's own affair.
        return f"`{str(value).replace(tempfile.gettempdir(), '/tmp')}`"
    return f"`{type(value).__name__}`"
