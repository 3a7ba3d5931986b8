"""Writes the reference pages that are made of the code: `python -m scripts.reference`.

`java_api.json` lists the public methods and settings of Kafka Streams; `java_names.py` says what is
spelled otherwise here, or why it is missing. A test writes the pages again and compares.
"""
