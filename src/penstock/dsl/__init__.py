"""Say it: the Kafka Streams DSL. Each verb checks its arguments, draws a step and gives a new
handle.
"""
