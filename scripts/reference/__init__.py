"""Writes the reference pages that are made of the code: `python -m scripts.reference`.

`java_api.json` lists the public methods and settings of Kafka Streams, as `javap` tells them of its
jars; `java_names.py` says what is spelled otherwise here, or why it is missing. Tests ask the jars,
write the pages again and compare.
"""
