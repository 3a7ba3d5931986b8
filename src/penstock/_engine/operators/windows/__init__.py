"""Windowed aggregations and suppress."""
