"""The console: a page that shows a running application, and the stream of figures behind it.

`graph.py` has what does not change, `snapshot.py` what does, both as plain documents; `history.py`
remembers the last hour; `feed.py` looks each second; `logins.py` lets browsers in; `pages.py` has
the files of the page, which are in `page/`.
"""
