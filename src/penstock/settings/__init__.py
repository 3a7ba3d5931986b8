"""StreamsConfig: plain values, each with its unit, its default and its Kafka Streams key.

`config` is the class, `values` its properties, `table` the settings it knows, `sources` reads files
and the environment, `client_keys` lists what may be said to the Kafka clients, `secrets` keeps
passwords out of texts.
"""

from penstock.settings.config import StreamsConfig
from penstock.settings.table import SETTINGS, Setting

__all__ = ["SETTINGS", "Setting", "StreamsConfig"]
