"""What Go, Rust and Maven projects miss, by their tools' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.detect.missing.remedy import Remedy, matches
from bot.detect.missing.symptoms import Symptoms
from bot.detect.tree import Tree
from bot.reporting.reasons import setup_repair

_GO_LACKS = re.compile(
    r"missing go\.sum entry|no required module provides package|updates to go\.(?:mod|sum) needed"
)
_GO_COMMAND = re.compile(r"\s(?P<command>go (?:get|mod (?:download|tidy))[^\n;]*)")
_ADVISED = 3
"""Lines from what is missing to the command that brings it."""

_GO_VERSION = re.compile(r" requires go >= (?P<version>[\d.]+) \(running go")
_CARGO_SUBCOMMAND = re.compile(r"error: no such (?:sub)?command: `(?P<name>[\w-]+)`")
_RUST_VERSION = re.compile(
    r"(?:requires|package `[^`]+` cannot be built because it requires) rustc (?P<version>[\d.]+)"
)
_JAVA_VERSION = re.compile(
    r"(?:release version (?P<release>\d+) not supported|invalid target release: (?P<target>\d+))"
)
_MAVEN_OFFLINE = re.compile(
    r"in offline mode and the artifact (?P<group>[\w.-]+):(?P<name>[\w.-]+):(?P<kind>[\w-]+)"
    r":(?P<version>[\w.-]+) has not been downloaded"
)
_SAFE = re.compile(r"go [\w./@ -]+")


def compiled_languages(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield what `go`, `cargo` and `mvn` say that should be done."""
    if tree.exists("go.mod"):
        advice = _advised(symptoms.output)
        if _SAFE.fullmatch(advice):
            yield Remedy("go.sum", setup_repair.advised("go", advice), (advice,))
        if version := _GO_VERSION.search(symptoms.output):
            why = setup_repair.newer_toolchain("Go", version["version"])
            download = f"GOTOOLCHAIN=go{version['version']} go version"
            chosen = (("GOTOOLCHAIN", f"go{version['version']}"),)
            yield Remedy("newer Go", why, (download,), variables=chosen)
    if tree.exists("Cargo.toml"):
        if command := _CARGO_SUBCOMMAND.search(symptoms.output):
            name = f"cargo-{command['name']}"
            install = f"cargo install --locked {name}"
            yield Remedy(
                f"program {name}", setup_repair.program_from("crates.io", name), (install,)
            )
        if version := _RUST_VERSION.search(symptoms.output):
            yield Remedy("newer Rust", setup_repair.toolchain_too_old("Rust", version["version"]))
    if tree.exists("pom.xml"):
        for match in matches(_MAVEN_OFFLINE, symptoms.output):
            artifact = f"{match['group']}:{match['name']}:{match['version']}:{match['kind']}"
            fetch = f"mvn -B -ntp dependency:get -Dartifact={artifact}"
            yield Remedy(f"artifact {artifact}", setup_repair.artifact(artifact), (fetch,))
        if version := _JAVA_VERSION.search(symptoms.output):
            needed = version["release"] or version["target"]
            yield Remedy("newer Java", setup_repair.toolchain_too_old("Java", needed))


def _advised(output: str) -> str:
    """Return the command that `go` prints behind what is missing, or ""."""
    lines = output.split("\n")
    for n, line in enumerate(lines):
        if lacks := _GO_LACKS.search(line):
            told = "\n".join([line[lacks.end() :], *lines[n + 1 : n + _ADVISED]])
            if command := _GO_COMMAND.search(told):
                return command["command"].strip()
    return ""
