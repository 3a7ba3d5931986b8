"""Host it without Kafka: the same topology over DataFrames, as a bounded Spark job.

`job.py` draws the stages as DataFrames, `inputs.py` checks and levels what comes in. In the Python
workers `stage.py` runs the tasks, `feeds.py` hands them their records in order, and `rows.py`
collects what they write. `result.py` is what a user gets.
"""
