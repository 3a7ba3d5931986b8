"""Rows of a DataFrame written to topics, those of each batch and partition in one transaction."""
