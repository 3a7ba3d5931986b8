"""`penstock run --dev`: a program that starts again when one of its files changes.

`reloader.py` is the process that stays; it forks one child after the other, which run the program.
`program_files.py` knows which files belong to a program, and which have changed; `child_link.py` is
how a child reports them.
"""
