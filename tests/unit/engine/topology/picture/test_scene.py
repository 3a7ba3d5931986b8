"""What is on a picture, before it has coordinates."""

from __future__ import annotations

from penstock._engine.topology.picture.scene import Arrow, Kind, Panel, Scene, Shape, compose
from tests.unit.engine.topology.picture import samples


def arrows(scene: Scene) -> list[tuple[str, str]]:
    return [(scene.shapes[a.tail].text, scene.shapes[a.head].text) for a in scene.arrows]


def test_a_chain_between_two_topics() -> None:
    chain = samples.subtopology(
        0, [["s", "p", "k"]], reads={"s": ("in",)}, writes={"k": "out"}, stores={"p": ("kept",)}
    )
    assert compose(samples.topology(chain)) == Scene(
        shapes=(
            Shape(Kind.SOURCE, "s"),
            Shape(Kind.PROCESSOR, "p"),
            Shape(Kind.SINK, "k"),
            Shape(Kind.STORE, "kept"),
            Shape(Kind.TOPIC, "in"),
            Shape(Kind.TOPIC, "out"),
        ),
        panels=(Panel("Sub-topology 0", False, (0, 1, 2, 3)),),
        arrows=(Arrow(4, 0), Arrow(0, 1), Arrow(1, 2), Arrow(1, 3), Arrow(2, 5)),
    )


def test_a_topic_between_two_subtopologies_is_one_shape() -> None:
    scene = compose(samples.WORD_COUNT)
    assert scene.shapes.count(Shape(Kind.INTERNAL_TOPIC, "counts-repartition")) == 1
    assert ("counts-repartition-sink", "counts-repartition") in arrows(scene)
    assert ("counts-repartition", "counts-repartition-source") in arrows(scene)


def test_a_store_shared_in_one_subtopology_is_one_shape() -> None:
    scene = compose(samples.CYCLES)
    assert scene.shapes.count(Shape(Kind.STORE, "attempts")) == 1
    assert [ends for ends in arrows(scene) if ends[1] == "attempts"] == [
        ("try", "attempts"),
        ("give-up", "attempts"),
    ]


def test_a_name_may_be_node_store_and_topic_at_once() -> None:
    same = samples.subtopology(0, [["x", "y"]], reads={"x": ("y",)}, stores={"y": ("y",)})
    assert arrows(compose(samples.topology(same))) == [("y", "x"), ("x", "y"), ("y", "y")]


def test_global_stores_come_by_their_ids() -> None:
    panels = compose(samples.ODDITIES).panels
    assert [(panel.title, panel.is_global) for panel in panels] == [
        ("Sub-topology 0", False),
        ("Sub-topology 1 (global)", True),
    ]


def test_two_sinks_with_one_extractor_have_two_targets() -> None:
    two = samples.subtopology(
        0, [["s", "a"], ["s", "b"]], reads={"s": ("t",)}, extractors={"a": "pick", "b": "pick"}
    )
    shapes = compose(samples.topology(two)).shapes
    assert shapes.count(Shape(Kind.DYNAMIC_TOPIC, "pick")) == 2


def test_internal_topics_are_told_by_their_names() -> None:
    names = (
        "KSTREAM-KEY-SELECT-0000000001-repartition",
        "app-counts-changelog",
        "KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000014-topic",
        "mine-subscription-registration-topic",
        "orders",
        "repartition",
    )
    source = samples.subtopology(0, [], reads={"s": names})
    kinds = [shape.kind for shape in compose(samples.topology(source)).shapes[1:]]
    assert kinds == [Kind.INTERNAL_TOPIC] * 4 + [Kind.TOPIC] * 2
