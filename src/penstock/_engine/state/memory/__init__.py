"""Stores that live in memory."""
