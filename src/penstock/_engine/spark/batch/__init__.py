"""Runs a topology over DataFrames as a bounded Spark job, without Kafka; and backfills.

`job.py` builds the stages as DataFrames, `inputs.py` checks and normalizes the inputs. In the
Python workers `tasks/stage.py` runs the tasks, `tasks/feeds.py` feeds them their records in order,
and `tasks/rows.py` collects their outputs. `result.py` is what a user gets.
"""
