"""Topics as DataFrames of Spark: read and written, by batch and by stream."""
