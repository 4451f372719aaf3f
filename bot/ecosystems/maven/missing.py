"""What Maven projects miss, by Maven's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

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
