"""How a Maven project is set up and tested."""

from __future__ import annotations

from bot.ecosystems.base import Detected
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection


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
