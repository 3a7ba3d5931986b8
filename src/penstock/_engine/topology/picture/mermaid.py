"""A topology as Mermaid text, which GitHub and most documentation tools turn into a picture.

Ids are `n0`, `n1`, ... in the order of the description; every name is only a label, so no name can
break the syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.picture.scene import Arrow, Kind, Panel, Scene, Shape, compose


def to_mermaid(description: TopologyDescription) -> str:
    """Draw sub-topologies as boxes, topics as stadiums between them and stores as cylinders."""
    scene = compose(description)
    inside = {member for panel in scene.panels for member in panel.members}
    outside = [index for index in range(len(scene.shapes)) if index not in inside]
    lines = [
        "flowchart TB",
        *(_shape(index, scene.shapes[index]) for index in outside),
        *(
            line
            for number, panel in enumerate(scene.panels)
            for line in _panel(number, panel, scene)
        ),
        *(_arrow(arrow, scene.shapes[arrow.head].kind) for arrow in scene.arrows),
        *_classes(scene),
    ]
    return "".join(f"{line}\n" for line in lines)


# Around the label: the wide side of a source or sink is where its topic is.
_OUTLINES = {
    Kind.SOURCE: ("[\\", "/]"),
    Kind.PROCESSOR: ("[", "]"),
    Kind.SINK: ("[/", "\\]"),
    Kind.DYNAMIC_SINK: ("[/", "\\]"),
    Kind.STORE: ("[(", ")]"),
    Kind.TOPIC: ("([", "])"),
    Kind.INTERNAL_TOPIC: ("([", "])"),
    Kind.TOPIC_PATTERN: ("([", "])"),
    Kind.DYNAMIC_TOPIC: ("([", "])"),
}

# Fill and text colour are both given, so that the labels stay readable on a dark page.
_STYLES = {
    Kind.SOURCE: "fill:#e3f5ea,stroke:#2f9e5f,color:#10331f",
    Kind.PROCESSOR: "fill:#ffffff,stroke:#4a72c4,color:#1c2430",
    Kind.SINK: "fill:#fdeedd,stroke:#d27a26,color:#41240a",
    Kind.DYNAMIC_SINK: "fill:#fdeedd,stroke:#d27a26,color:#41240a,stroke-dasharray:5 3",
    Kind.STORE: "fill:#efe9fb,stroke:#7d5bc9,color:#2a1a52",
    Kind.TOPIC: "fill:#dff3f5,stroke:#1f8795,color:#0b3239",
    Kind.INTERNAL_TOPIC: "fill:#eceff3,stroke:#7b8794,color:#27303b",
    Kind.TOPIC_PATTERN: "fill:#dff3f5,stroke:#1f8795,color:#0b3239,stroke-dasharray:5 3",
    Kind.DYNAMIC_TOPIC: "fill:#dff3f5,stroke:#1f8795,color:#0b3239,stroke-dasharray:5 3",
}
_PANEL_STYLE = "fill:#f1f5fb,stroke:#c3d0e4,color:#1c2430"


def _shape(index: int, shape: Shape) -> str:
    opening, closing = _OUTLINES[shape.kind]
    return f'  n{index}{opening}"{_label(shape.text)}"{closing}'


def _panel(number: int, panel: Panel, scene: Scene) -> Iterator[str]:
    yield f'  subgraph s{number}["{panel.title}"]'
    for member in panel.members:
        yield f"  {_shape(member, scene.shapes[member])}"
    yield "  end"


def _arrow(arrow: Arrow, head: Kind) -> str:
    return f"  n{arrow.tail} {'-.-' if head is Kind.STORE else '-->'} n{arrow.head}"


def _classes(scene: Scene) -> Iterator[str]:
    for kind in Kind:
        members = [f"n{i}" for i, shape in enumerate(scene.shapes) if shape.kind is kind]
        if members:
            yield f"  classDef {kind} {_STYLES[kind]}"
            yield f"  class {','.join(members)} {kind}"
    if scene.panels:
        yield f"  classDef panel {_PANEL_STYLE}"
        yield f"  class {','.join(f's{n}' for n in range(len(scene.panels)))} panel"


def _label(text: str) -> str:
    """Write what might be read as syntax, HTML or Markdown as Mermaid's `#code;`."""
    return re.sub(r"[^\w.\- ]", _code, " ".join(text.split())) or " "


def _code(match: re.Match[str]) -> str:
    return f"#{ord(match[0])};"
