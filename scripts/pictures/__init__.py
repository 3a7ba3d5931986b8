"""Draws the pictures of the documentation from the real code: `python -m scripts.pictures`.

What they show comes out of the windows' own arithmetic and of topologies that are run by
`TopologyTestDriver`; a test draws them again and compares.
"""
