"""The joins of the DSL. They take handles: the classes of streams and tables import them.

`verbs.py` has KStream's verbs; the others draw: `stream_stream.py`, `stream_table.py` (also with
global tables), `table_table.py` and `foreign_key.py`.
"""
