"""Running a function of Arrow batches on a DataFrame, without pandas.

`DataFrame.mapInArrow` refuses to start where pandas is not installed, though nothing on its way
uses it; here is what it does behind that check.
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
    """Give what `function` makes of the batches of each partition; `name` is what Spark's pages
    call it.
    """
    mapped = UserDefinedFunction(
        function, schema, name=name, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF
    )
    column = mapped(*[frame[column] for column in frame.columns])
    made = frame._jdf.mapInArrow(column._jc, False, None)
    return DataFrame(made, frame.sparkSession)
