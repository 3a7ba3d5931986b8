"""`DataFrame.mapInArrow` without pandas.

The original requires pandas, though it does not use it; this is what it does behind that check. A
DataFrame of Spark Connect has no such inside, and Connect needs pandas itself: there the original
is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType


def map_in_arrow(
    frame: DataFrame,
    function: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: str,
    name: str,
) -> DataFrame:
    """Apply `function` to the batches of each Spark partition; Spark's UI shows `name`."""
    if is_connect(frame):
        return frame.mapInArrow(function, schema)
    mapped = UserDefinedFunction(
        function, schema, name=name, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF
    )
    column = mapped(*[frame[column] for column in frame.columns])
    made = frame._jdf.mapInArrow(column._jc, False, None)
    return DataFrame(made, frame.sparkSession)


def is_connect(frame: DataFrame) -> bool:
    """Return whether a DataFrame is one of Spark Connect: its driver is on a server."""
    return not hasattr(frame, "_jdf")
