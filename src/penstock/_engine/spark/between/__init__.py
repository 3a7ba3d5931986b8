"""A topology between streaming DataFrames: sinks in front, the live engine, sources behind."""
