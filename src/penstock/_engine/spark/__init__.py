"""Runs applications on Spark; the only folder that imports pyspark.

`streaming/` runs a live application as one Structured Streaming query, `batch/` a bounded one over
DataFrames, and backfills. `shipping/` pickles the user's functions and classes for the executors,
`session.py` makes a SparkSession where none is given.
"""
