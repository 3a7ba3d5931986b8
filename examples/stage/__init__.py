"""The stage of the examples: it brings their input, shows their results and checks them.

The programs themselves are the files of `examples/`; each has a show of the same name in
`examples/shows`, which invents its input, draws its results and knows the right answer.

`show.py` says what a show is, `lifelike.py` is chance that repeats itself, `topics.py` writes and
reads topics, `tables.py` draws tables, `live.py` performs a show until Ctrl-C, `checked.py` runs
one on a bounded input and compares every result with the right answer.
"""
