"""A live application as one Structured Streaming query.

`query.py` starts the query, `source.py` is its data source, `slot_plan.py` counts its slots, and
`supervisor.py` restarts it. The engine itself is in `control/engine_thread.py`.
"""
