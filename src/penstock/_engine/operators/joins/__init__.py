"""Joins of streams and tables."""
