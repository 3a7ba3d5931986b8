"""The joins of the DSL, drawn from handles alone: the classes of streams and tables stand above.

`verbs.py` has KStream's verbs; the others draw: `stream_stream.py`, `stream_table.py` (also with
global tables), `table_table.py` and `foreign_key.py`.
"""
