"""An input whose keys or values are not bytes, and the serdes that encode them.

A module of its own: `penstock.spark` imports it without pyspark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.serdes import Serde

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Typed:
    """A DataFrame with typed columns `key` and `value`, and the serdes that write them as bytes;
    without one, the serde that the topology reads the topic with. A struct or a map becomes a
    dict, or what the serde writes: an object of its class, a UUID.

    ```python
    run(topology, {"orders": Typed(frame, value=serdes.json())})
    ```
    """

    frame: DataFrame
    key: Serde[Any] | None = None
    value: Serde[Any] | None = None
