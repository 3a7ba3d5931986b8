"""Topics as DataFrames, and DataFrames as topics: the data source `penstock`."""
