"""Pictures of a topology: `mermaid.py` and `svg.py`.

`scene` has the contents of a picture. For the SVG, `labels` has the texts and `assembly` the
coordinates; it uses `layout`, which places any blocks and links (`mesh` -> `order` -> `placement`).
"""
