"""The same topology over DataFrames: a bounded Spark job.

```python
from penstock import spark as streams

result = streams.run(topology, {"orders": spark.read.parquet("orders")})
result["alerts"].show()  # a sink topic, as a DataFrame
result.store("counts").show()  # what a store holds at the end
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from penstock._engine.spark.batch.result import Result

__all__ = ["run"]


def run(
    topology: Topology,
    inputs: Mapping[str, DataFrame],
    config: Mapping[str, Any] | StreamsConfig | None = None,
    *,
    partitions: int | Mapping[str, int] | None = None,
) -> Result:
    """Run a topology over batch DataFrames, one for each topic it reads.

    A frame has the columns `key`, `value`, `timestamp`, and maybe `headers`, `partition` and
    `offset`. The result maps each sink topic to a DataFrame of what was written to it; nothing is
    computed before rows are asked for.

    `partitions` says how many partitions topics have, one number for all or a dict; an input that
    has a `partition` column keeps its own.

    Raises:
        StreamsError: the inputs do not fit the topology; the message says what to do.
    """
    # Whoever only imports this module needs no Spark.
    from penstock._engine.spark.batch.result import Result  # noqa: PLC0415
    from penstock._engine.spark.batch.start import start  # noqa: PLC0415

    return Result(start(topology, inputs, config, partitions))
