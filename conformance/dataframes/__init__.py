"""The same programs over DataFrames: do bounded runs say what the test driver and Java say?

`feeding.py` makes inputs of a case's steps, `reference.py` runs the tasks of a program one after
the other with everything in memory, `without_spark.py` does a job's shuffles in plain Python, and
`run.py` compares: `make conformance-dataframes`.
"""
