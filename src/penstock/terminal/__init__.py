"""What a person sees while an application runs, and how their Ctrl-C ends it.

`foreground.py` runs an application, `figures.py` makes numbers of the workers'
reports, `wording.py` makes lines of the numbers, `display.py` puts the lines on the screen,
`invocation.py` holds the options of `penstock run`.
"""
