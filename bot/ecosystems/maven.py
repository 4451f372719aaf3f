"""Java by Maven."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.base import Detected, Ecosystem, Looks, manager_by_file
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection, setup_repair


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a Maven project is set up and tested, or None without a `pom.xml`.

    The setup runs the tests, whatever they say: what Surefire runs them with is fetched no sooner
    (https://maven.apache.org/plugins/maven-dependency-plugin/go-offline-mojo.html has the limits).
    """
    if not tree.exists("pom.xml"):
        return None
    maven = "sh mvnw" if tree.exists("mvnw") else "mvn"
    return Detected(
        ecosystem="maven",
        setup=(f"{maven} -B -ntp -Dmaven.test.failure.ignore=true test",),
        test=f"{maven} -B -ntp -o test",
        setup_why=(detection.MAVEN_FETCHES,),
        test_why=detection.MAVEN_TESTS,
        tools=frozenset({"mvn", "mvnw", "java", "javac"}),
    )


_JAVA_VERSION = re.compile(
    r"(?:release version (?P<release>\d+) not supported|invalid target release: (?P<target>\d+))"
)
_MAVEN_OFFLINE = re.compile(
    r"in offline mode and the artifact (?P<group>[\w.-]+):(?P<name>[\w.-]+):(?P<kind>[\w-]+)"
    r":(?P<version>[\w.-]+) has not been downloaded"
)


def missing_of_maven(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the artifacts and the Java that Maven lacks."""
    if not tree.exists("pom.xml"):
        return
    for match in matches(_MAVEN_OFFLINE, symptoms.output):
        artifact = f"{match['group']}:{match['name']}:{match['version']}:{match['kind']}"
        fetch = f"mvn -B -ntp dependency:get -Dartifact={artifact}"
        yield Remedy(f"artifact {artifact}", setup_repair.artifact(artifact), (fetch,))
    if version := _JAVA_VERSION.search(symptoms.output):
        needed = version["release"] or version["target"]
        yield Remedy("newer Java", setup_repair.toolchain_too_old("Java", needed))


MAVEN = Ecosystem(
    name="maven",
    sought="pom.xml",
    detect=find,
    marks=("pom.xml",),
    hosts=("repo.maven.apache.org", "repo1.maven.org", "maven.google.com"),
    manager=manager_by_file({"pom.xml": "mvn"}),
    toolchains={"java": "Java", "mvn": "Maven"},
    looks=Looks(setup=(missing_of_maven,), tests=(missing_of_maven,)),
)
