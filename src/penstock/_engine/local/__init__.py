"""Runs an application in this process, without Spark: for development only.

`local_host.py` keeps one worker going on a thread. It is the worker that runs on Spark, and what
surrounds it is that of every host (`control/application_host.py`).
"""
