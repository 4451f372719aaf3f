"""What Gradle projects miss, by Gradle's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.gradle.detect import MARKS
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_CLASS_FILE = re.compile(r"Unsupported class file major version (?P<major>\d+)")
_ABOVE_JAVA = 44
"""Java N writes class files of version N + 44 (JVM specification, table 4.1-A)."""

_TOOLCHAIN = re.compile(
    r"languageVersion=(?P<toolchain>\d+)"
    r"|(?:invalid (?:source|target) release|release version): ?(?P<release>\d+)"
    r"|requires at least JVM runtime version (?P<runtime>\d+)|requires Java (?P<java>\d+)"
)
_OFFLINE = re.compile(
    r"No cached version (?:of|listing for) (?P<artifact>\S+) available for offline"
)
_ANDROID = re.compile(r"SDK location not found\. Define a valid SDK location")


def missing_of_gradle(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the artifacts, the Java and the SDK that Gradle lacks."""
    if not any(map(tree.exists, MARKS)):
        return
    if _ANDROID.search(symptoms.output):
        why = setup_repair.toolchain("sdkmanager", "Android SDK")
        yield Remedy("Android SDK", why, outside=True)
    if compiled := _CLASS_FILE.search(symptoms.output):
        version = str(int(compiled["major"]) - _ABOVE_JAVA)
        yield Remedy("older Java", setup_repair.gradle_too_old(version), outside=True)
    elif asked := _TOOLCHAIN.search(symptoms.output):
        needed = next(filter(None, asked.groups()))
        yield Remedy("newer Java", setup_repair.toolchain_too_old("Java", needed), outside=True)
    if (absent := _OFFLINE.search(symptoms.output)) and not symptoms.in_setup:
        online = symptoms.command.replace(" --offline", "")
        if online != symptoms.command:
            why = setup_repair.artifact_of_gradle(absent["artifact"].rstrip("."))
            yield Remedy("artifacts that tests resolve", why, (f"{online} || true",))
