"""Pickles the user's functions and classes for the executors.

`shipping.py` is the pickler. cloudpickle sends functions and most classes of a main script; the
other modules send what it cannot.
"""
