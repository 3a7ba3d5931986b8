"""What the pictures of a topology (`mermaid.py`, `svg.py`) are made of.

`scene` says what is on a picture. For the SVG, `labels` says what is written on it and `assembly`
where it is; that rests on `layout`, which places any blocks and links (`mesh` -> `order` ->
`placement`).
"""
