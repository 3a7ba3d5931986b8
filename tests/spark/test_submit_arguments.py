"""What docs/ says about YARN and Kubernetes is understood by Spark: commands by SparkSubmit itself,
manifests by the model of the Kubernetes client that Spark has.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from tests.docs.blocks import DOCS, blocks_of
from tests.docs.shell import commands

pytestmark = pytest.mark.slow

PAGES = (DOCS / "how-to" / "deploying.md", DOCS / "spark" / "clusters.md")
SUBMITTED = [
    words[1:]
    for page in PAGES
    for block in blocks_of(page, "sh")
    for words in commands(block.text)
    if words[0] == "spark-submit"
]
MANIFESTS = {
    block.title: block.text for page in PAGES for block in blocks_of(page, "yaml") if block.title
}
MAIN_CLASSES = {
    ("yarn", "cluster"): "org.apache.spark.deploy.yarn.YarnClusterApplication",
    ("k8s", "cluster"): "org.apache.spark.deploy.k8s.submit.KubernetesClientApplication",
}
IN_THIS_PROCESS = "org.apache.spark.deploy.PythonRunner"


def prepared(spark: SparkSession, words: list[str], folder: Path) -> tuple[Any, Any]:
    """Return SparkSubmit's reading of a command, and the class that it would run."""
    given = ("app.py", "env.tar.gz", "production.properties", *MANIFESTS)
    files = {name: str(folder / name) for name in given}
    for path in files.values():
        Path(path).touch()
    for name, path in files.items():
        words = [word.replace(name, path) if "local://" not in word else word for word in words]
    jvm: Any = spark._jvm
    sequence = jvm.PythonUtils.toSeq(words)
    variables = jvm.PythonUtils.toScalaMap({"HADOOP_CONF_DIR": str(folder)})
    arguments = jvm.org.apache.spark.deploy.SparkSubmitArguments(sequence, variables)
    submit = jvm.org.apache.spark.deploy.SparkSubmit()
    return arguments, submit.prepareSubmitEnvironment(arguments, jvm.scala.Option.empty())


@pytest.mark.parametrize("words", SUBMITTED, ids=" ".join)
def test_spark_submit_understands_a_command(
    spark: SparkSession, words: list[str], tmp_path: Path
) -> None:
    arguments, environment = prepared(spark, words, tmp_path)
    master = str(arguments.master()).partition(":")[0]
    mode = words[words.index("--deploy-mode") + 1] if "--deploy-mode" in words else "client"
    assert environment._4() == MAIN_CLASSES.get((master, mode), IN_THIS_PROCESS)
    conf = environment._3()
    given = [words[at + 1] for at, word in enumerate(words) if word == "--conf"]
    for key, _, value in (one.partition("=") for one in given):
        assert str(conf.get(key)).endswith(value)
    if "--archives" in words:
        kind = "spark.yarn.dist.archives" if master == "yarn" else "spark.archives"
        assert str(conf.get(kind)).endswith("env.tar.gz#env")
    if "--files" in words:
        assert str(conf.get("spark.yarn.dist.files")).endswith("production.properties")


def test_commands_of_each_kind_are_shown() -> None:
    masters = {words[words.index("--master") + 1].partition(":")[0] for words in SUBMITTED}
    assert masters == {"spark", "yarn", "k8s"}


def test_a_wrong_option_would_be_noticed(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="Unrecognized option '--archive'"):
        prepared(spark, ["--master", "yarn", "--archive", "env.tar.gz", "app.py"], tmp_path)


def unknown_fields(model: Any, document: Any, place: str = "") -> list[str]:
    """Return the fields of a document that a model of the Kubernetes client does not know."""
    if isinstance(document, list):
        return [
            found
            for at, one in enumerate(document)
            for found in unknown_fields(model[at], one, f"{place}[{at}]")
        ]
    if not isinstance(document, dict) or not hasattr(model, "getAdditionalProperties"):
        return []
    unknown = [f"{place}.{name}" for name in model.getAdditionalProperties()]
    for name, value in document.items():
        if f"{place}.{name}" not in unknown and isinstance(value, dict | list):
            part = getattr(model, f"get{name[0].upper()}{name[1:]}")()
            unknown += unknown_fields(part, value, f"{place}.{name}")
    return unknown


def pod(spark: SparkSession, text: str) -> Any:
    """Return a manifest as Spark's Kubernetes client reads it."""
    jvm: Any = spark._jvm
    model = jvm.java.lang.Class.forName("io.fabric8.kubernetes.api.model.Pod")
    return jvm.io.fabric8.kubernetes.client.utils.Serialization.unmarshal(text, model)


@pytest.mark.parametrize("name", list(MANIFESTS))
def test_a_manifest_has_only_fields_that_kubernetes_knows(spark: SparkSession, name: str) -> None:
    text = MANIFESTS[name]
    assert unknown_fields(pod(spark, text), yaml.safe_load(text)) == []


def test_an_unknown_field_would_be_noticed(spark: SparkSession) -> None:
    text = MANIFESTS["executor.yaml"].replace("mountPath", "mountpath")
    found = unknown_fields(pod(spark, text), yaml.safe_load(text))
    kinds = ("initContainers", "containers")
    assert found == [f".spec.{kind}[0].volumeMounts[0].mountpath" for kind in kinds]
