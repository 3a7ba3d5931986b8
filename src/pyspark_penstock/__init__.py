"""Found by PySpark: `format("penstock")` needs no registration.

PySpark imports every top-level module whose name begins with `pyspark_` and takes its
`DefaultSource`: one data source for each module.
"""

from penstock._engine.spark.dataframes.source import TopicSource as DefaultSource

__all__ = ["DefaultSource"]
