"""Which Java is taken, and the sentences when none will do. Java is a shell script here."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import java
from penstock.errors import StreamsError


def install(folder: Path, version: str) -> Path:
    """Make a Java that says it is `version`; return the program."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return program


def refusal(environment: dict[str, str]) -> str:
    with pytest.raises(StreamsError) as caught:
        java.find(environment)
    return str(caught.value)


def test_java_on_the_path_is_found(tmp_path: Path) -> None:
    program = install(tmp_path, "17.0.15")
    found = java.find({"PATH": str(program.parent)})
    assert (found.path, found.version) == (str(program), 17)
    assert "17.0.15" in found.build


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    on_path = install(tmp_path / "path", "17.0.15")
    at_home = install(tmp_path / "home", "21.0.1")
    found = java.find({"PATH": str(on_path.parent), "JAVA_HOME": str(tmp_path / "home")})
    assert (found.path, found.version) == (str(at_home), 21)


def test_java_home_without_java_is_refused(tmp_path: Path) -> None:
    assert refusal({"PATH": "", "JAVA_HOME": str(tmp_path)}) == (
        f"there is no Java in JAVA_HOME: {tmp_path}/bin/java is missing; correct it or unset it"
    )


def test_no_java_is_refused() -> None:
    text = refusal({"PATH": ""})
    assert text.startswith("Java 17 or later is needed and there is no 'java' on the PATH; install")


@pytest.mark.parametrize(("version", "major"), [("1.8.0_402", 8), ("11.0.2", 11)])
def test_old_java_is_refused(tmp_path: Path, version: str, major: int) -> None:
    program = install(tmp_path, version)
    assert refusal({"PATH": str(program.parent)}).startswith(
        f"Java 17 or later is needed and {program} is {major}; install"
    )


def test_java_that_does_not_run_is_refused(tmp_path: Path) -> None:
    program = install(tmp_path, "17")
    program.write_text("#!/nowhere\n")
    assert refusal({"PATH": str(program.parent)}).startswith(f"{program} does not run; install")


def test_a_collector_that_the_environment_names_is_left_alone() -> None:
    """A JVM with two of them does not start."""
    assert java.collector_options("-Xmx1g", environment={"JAVA_TOOL_OPTIONS": "-Xmx1g"}) == [
        "-XX:+UseSerialGC"
    ]
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"):
        assert java.collector_options(environment={name: "-Xmx1g -XX:+UseG1GC"}) == []
    assert java.collector_options("-XX:+UseZGC", environment={}) == []


@pytest.mark.parametrize(
    "option",
    [
        "-javaagent:/opt/jmx_prometheus.jar=9404:config.yaml",
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n",
        "-agentpath:/opt/profiler.so",
        "-Xrunjdwp:transport=dt_socket,server=y,suspend=n",
        "-Xshare:off",
        "-XX:-UseSharedSpaces",
        "-XX:-UseCompressedClassPointers",
        "-XX:ObjectAlignmentInBytes=16",
        "-XX:SharedArchiveFile=/opt/app.jsa",
        "-XX:ArchiveClassesAtExit=/opt/app.jsa",
        "-XX:+RecordDynamicDumpInfo",
        "-XX:+AutoCreateSharedArchive",
        "-XX:AOTCache=/opt/app.aot",
        "-XX:StartFlightRecording:filename=app.jfr",
        "-XX:VMOptionsFile=/opt/jvm.options",
        "-XX:Flags=/opt/flags",
        "@/opt/jvm.options",
        "--limit-modules java.base",
        "--patch-module=java.base=patch",
        "--upgrade-module-path=/opt/modules",
    ],
)
def test_options_that_an_archive_does_not_go_with_are_found(option: str) -> None:
    """With most of them a JVM that is to write an archive does not start."""
    assert not java.may_archive("-Xmx1g", f"-Da=1 {option}", environment={})
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"):
        assert not java.may_archive(environment={name: f"-Xmx1g {option}"})


@pytest.mark.parametrize(
    "option", ["", "-XX:+UseZGC", "-XX:-UseCompressedOops", "-Dmail=a@b", "--add-modules java.sql"]
)
def test_an_archive_goes_with_other_options(option: str) -> None:
    assert java.may_archive(option, environment={"JAVA_TOOL_OPTIONS": option})
