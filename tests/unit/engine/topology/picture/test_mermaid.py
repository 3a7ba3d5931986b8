"""Mermaid texts, whole: what the picture says is what the text says.

That Mermaid 11 accepts these texts, and shows the awkward names as they are, was seen by hand.
"""

from __future__ import annotations

import re

import pytest

from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.picture.mermaid import to_mermaid
from tests.unit.engine.topology.picture import samples


def test_word_count() -> None:
    assert to_mermaid(samples.WORD_COUNT) == (
        """\
flowchart TB
  n10(["lines"])
  n11(["counts-repartition"])
  n12(["counts"])
  subgraph s0["Sub-topology 0"]
    n0[\\"KSTREAM-SOURCE-0000000000"/]
    n1["KSTREAM-FLATMAPVALUES-0000000001"]
    n2["KSTREAM-KEY-SELECT-0000000002"]
    n3["counts-repartition-filter"]
    n4[/"counts-repartition-sink"\\]
  end
  subgraph s1["Sub-topology 1"]
    n5[\\"counts-repartition-source"/]
    n6["KSTREAM-AGGREGATE-0000000003"]
    n7["KTABLE-TOSTREAM-0000000007"]
    n8[/"KSTREAM-SINK-0000000008"\\]
    n9[("counts")]
  end
  n10 --> n0
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n3 --> n4
  n4 --> n11
  n11 --> n5
  n5 --> n6
  n6 --> n7
  n6 -.- n9
  n7 --> n8
  n8 --> n12
  classDef source fill:#e3f5ea,stroke:#2f9e5f,color:#10331f
  class n0,n5 source
  classDef processor fill:#ffffff,stroke:#4a72c4,color:#1c2430
  class n1,n2,n3,n6,n7 processor
  classDef sink fill:#fdeedd,stroke:#d27a26,color:#41240a
  class n4,n8 sink
  classDef store fill:#efe9fb,stroke:#7d5bc9,color:#2a1a52
  class n9 store
  classDef topic fill:#dff3f5,stroke:#1f8795,color:#0b3239
  class n10,n12 topic
  classDef internal-topic fill:#eceff3,stroke:#7b8794,color:#27303b
  class n11 internal-topic
  classDef panel fill:#f1f5fb,stroke:#c3d0e4,color:#1c2430
  class s0,s1 panel
"""
    )


def test_pattern_extractor_global_store_and_awkward_names() -> None:
    assert to_mermaid(samples.ODDITIES) == (
        """\
flowchart TB
  n7(["in-#91;0-9#93;#43;"])
  n8(["a"])
  n9(["b"])
  n10(["build.#60;locals#62;.#60;lambda#62;"])
  n11(["g"])
  subgraph s0["Sub-topology 0"]
    n0[\\"all"/]
    n1[\\"two"/]
    n2["#60;a #38; #34;b#34; #39;c#39;#62; second line"]
    n3[/"route"\\]
  end
  subgraph s1["Sub-topology 1 (global)"]
    n4[\\"KSTREAM-SOURCE-0000000004"/]
    n5["KTABLE-SOURCE-0000000005"]
    n6[("g-STATE-STORE-0000000003")]
  end
  n7 --> n0
  n0 --> n2
  n8 --> n1
  n9 --> n1
  n1 --> n2
  n2 --> n3
  n3 --> n10
  n11 --> n4
  n4 --> n5
  n5 -.- n6
  classDef source fill:#e3f5ea,stroke:#2f9e5f,color:#10331f
  class n0,n1,n4 source
  classDef processor fill:#ffffff,stroke:#4a72c4,color:#1c2430
  class n2,n5 processor
  classDef dynamic-sink fill:#fdeedd,stroke:#d27a26,color:#41240a,stroke-dasharray:5 3
  class n3 dynamic-sink
  classDef store fill:#efe9fb,stroke:#7d5bc9,color:#2a1a52
  class n6 store
  classDef topic fill:#dff3f5,stroke:#1f8795,color:#0b3239
  class n8,n9,n11 topic
  classDef topic-pattern fill:#dff3f5,stroke:#1f8795,color:#0b3239,stroke-dasharray:5 3
  class n7 topic-pattern
  classDef dynamic-topic fill:#dff3f5,stroke:#1f8795,color:#0b3239,stroke-dasharray:5 3
  class n10 dynamic-topic
  classDef panel fill:#f1f5fb,stroke:#c3d0e4,color:#1c2430
  class s0,s1 panel
"""
    )


def test_a_topology_without_nodes_is_a_valid_chart() -> None:
    assert to_mermaid(samples.topology()) == "flowchart TB\n"


@pytest.mark.parametrize("description", samples.ALL.values(), ids=samples.ALL)
def test_equal_descriptions_give_equal_texts(description: TopologyDescription) -> None:
    assert to_mermaid(description) == to_mermaid(description)


@pytest.mark.parametrize("description", samples.ALL.values(), ids=samples.ALL)
def test_every_line_is_ours_whatever_the_names(description: TopologyDescription) -> None:
    label = r'"[\w.\- ]?(?:[\w.\- ]|#\d+;)*"'
    line = re.compile(
        r"flowchart TB|  end"
        r'|  subgraph s\d+\["Sub-topology \d+(?: \(global\))?"\]'
        rf"| +n\d+(?:\[\\|\[/|\[\(|\(\[|\[){label}(?:/\]|\\\]|\)\]|\]\)|\])"
        r"|  n\d+ (?:-->|-\.-) n\d+"
        r"|  classDef [a-z-]+ [\w:#, -]+"
        r"|  class [ns\d,]+ [a-z-]+"
    )
    lines = to_mermaid(description).splitlines()
    assert [text for text in lines if not line.fullmatch(text)] == []
