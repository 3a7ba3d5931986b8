"""Options of Spark's JVM: Spark's own launcher must take the texts apart as they were meant."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from pyspark.find_spark_home import _find_spark_home

from penstock._engine.kafka.local_broker import java
from penstock._engine.spark.java_options import (
    DEFAULT_OPTIONS,
    EXTRA_OPTIONS,
    quoted,
    setting_in,
)

BEGINS, ENDS = "-Dbegins=1", "-Dends=1"


def as_launched(conf_dir: Path, *arguments: str) -> list[str]:
    """Return the options between BEGINS and ENDS with which Spark's launcher starts a JVM."""
    jars = Path(_find_spark_home()) / "jars" / "*"
    classes = ["-classpath", str(jars), "org.apache.spark.launcher.Main"]
    submit = ["org.apache.spark.deploy.SparkSubmit", *arguments, "pyspark-shell"]
    home = {"SPARK_HOME": _find_spark_home(), "SPARK_SCALA_VERSION": "2.13"}
    made = subprocess.run(
        [java.find().path, "-XX:TieredStopAtLevel=1", *classes, *submit],
        env={**os.environ, **home, "SPARK_CONF_DIR": str(conf_dir)},
        capture_output=True,
        text=True,
        check=True,
    )
    command = made.stdout.lstrip("\0\n").split("\0")
    return command[command.index(BEGINS) + 1 : command.index(ENDS)]


def test_options_reach_the_jvm_whatever_the_names_of_folders(tmp_path: Path) -> None:
    options = ["-Da=plain", "-Db=/a folder/x", "-Dc='", '-Dd=a "b" c', r"-De=C:\x y", "-Df=a\tb"]
    text = " ".join([BEGINS, *map(quoted, options), ENDS])
    assert as_launched(tmp_path, "--conf", f"{DEFAULT_OPTIONS}={text}") == options
    assert quoted(options[0]) == options[0]


def test_extra_options_of_the_file_come_after_default_ones_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"{EXTRA_OPTIONS}  -Dtheirs=1 {ENDS}\n")
    ours = f"{DEFAULT_OPTIONS}={BEGINS} -Dours=1"
    assert as_launched(tmp_path, "--conf", ours) == ["-Dours=1", "-Dtheirs=1"]


DEFAULTS = r"""
# a comment that ends in a backslash \
spark.master  local
spark.driver.extraJavaOptions=-Dfirst=1
! another comment
  spark.driver.extraJavaOptions : -Dbegins=1 -Da=\u0062 \
     -Dc="\\"d e\\"" -Df=C:\\\\g \
# -Dh=i -Dends=1  
spark.driver.extraJavaOptionsOfOthers -Dno=1
"""  # noqa: W291


def test_a_setting_is_read_as_spark_reads_it(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(DEFAULTS)
    of_file = as_launched(tmp_path)
    assert of_file == ["-Da=b", '-Dc="d e"', r"-Df=C:\g", "#", "-Dh=i"]
    read = setting_in(DEFAULTS, EXTRA_OPTIONS)
    assert read == read.strip()
    (tmp_path / "spark-defaults.conf").unlink()
    assert as_launched(tmp_path, "--conf", f"{EXTRA_OPTIONS}={read}") == of_file
    assert setting_in(DEFAULTS, "spark.master") == "local"


@pytest.mark.parametrize(
    ("escaped", "letters"),
    [(r"\ud83d\ude00 \u00e9", "\U0001f600 \xe9"), (r"a\ude00b", "a\ufffdb")],
)
def test_letters_beyond_sixteen_bits_are_read(escaped: str, letters: str) -> None:
    """Java writes them as two; half of one is no letter, and nothing could write it."""
    assert setting_in(f"spark.master {escaped}", "spark.master") == letters


@pytest.mark.parametrize("text", ["", "spark.master", "spark.master\\", "=", "\\"])
def test_a_setting_that_is_not_there_is_empty(text: str) -> None:
    assert setting_in(text, "spark.master") == ""
    assert setting_in(text, EXTRA_OPTIONS) == ""
