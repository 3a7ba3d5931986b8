"""Stores as operators and processors see them: types over bytes."""
