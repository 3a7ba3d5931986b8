"""Rows by key and time, in segments that expire as a whole. Java: RocksDBSegmentedBytesStore."""
