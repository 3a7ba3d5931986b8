"""Found by PySpark: `spark.read.format("penstock-state")` needs no registration.

PySpark imports every top-level module whose name begins with `pyspark_` and takes its
`DefaultSource`: one data source for each module.
"""

from penstock._engine.spark.state.source import StateSource as DefaultSource

__all__ = ["DefaultSource"]
