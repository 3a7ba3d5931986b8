"""One task: records and time in, outputs and a commit out. No Spark, no Kafka client, no clock of
its own.
"""
