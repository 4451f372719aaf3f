"""Java by Maven."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, manager_by_file
from bot.ecosystems.maven.detect import find
from bot.ecosystems.maven.missing import missing_of_maven

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
