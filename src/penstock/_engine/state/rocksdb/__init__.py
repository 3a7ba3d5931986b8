"""Stores on disk, in RocksDB: the only folder that imports its binding."""
