"""Run it: one task. Records and time in, outputs and a commit out; no Spark, no Kafka client, no
clock of its own.
"""
