"""Host it: one application is one Structured Streaming query; the only folder that imports pyspark.

`query.py` starts the query, `source.py` is its data source, `slot.py` runs in the Python workers of
the executors, `control.py` connects the two, `session.py` makes a SparkSession where none is given.
"""
