"""How Rust, Go and Maven projects are set up and tested."""

from __future__ import annotations

import re
import shlex
import tomllib

from bot.detect.finding import Detected
from bot.detect.tree import Tree
from bot.reporting.reasons import detection

_COMMENT = re.compile(r"//.*")
_USED = re.compile(r"(?:^[ \t]*use[ \t]+|^[ \t]+)(?P<folder>\./?[\w./-]*|\.)[ \t]*$", re.MULTILINE)
"""A folder of `go.work`, alone or in a block: https://go.dev/ref/mod#go-work-file-use."""

_AHEAD = 600
"""Seconds for compiling ahead; what is done by then is kept, and tests compile the rest."""


def find_rust(tree: Tree) -> Detected | None:
    """Return how a cargo project is set up and tested, or None without a `Cargo.toml`.

    What the setup compiles, no later sandbox has to: each starts from what it leaves.
    """
    text = tree.read("Cargo.toml")
    if text is None:
        return None
    try:
        workspace = "workspace" in tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        workspace = False
    test = "cargo test --workspace" if workspace else "cargo test"
    kept = "git check-ignore -q target/debug"  # else all of it would count as files of the project
    return Detected(
        ecosystem="rust",
        setup=("cargo fetch", f"{kept} && {_ahead(f'{test} --no-run')} || true"),
        test=test,
        setup_why=(detection.CRATES_FETCHED, detection.COMPILED_AHEAD),
        test_why=detection.cargo_tests(workspace=workspace),
        tools=frozenset({"cargo", "rustc", "rustfmt"}),
    )


def find_go(tree: Tree) -> Detected | None:
    """Return how a Go module or workspace is set up and tested, or None where there is neither.

    `./...` means one module alone, whatever else a workspace has: https://go.dev/ref/mod#workspaces.
    With `-exec true` tests are compiled and linked, and `true` runs in their place; `go test` keeps
    the results of the two apart (https://pkg.go.dev/cmd/go#hdr-Compile_and_run_Go_program).
    """
    used = _USED.findall(_COMMENT.sub("", tree.read("go.work") or ""))
    modules = sorted({folder.removeprefix("./").strip("/") or "." for folder in used})
    if not modules and not tree.exists("go.mod"):
        return None
    below = [shlex.quote("./..." if one == "." else f"./{one}/...") for one in modules]
    packages = " ".join(below or ["./..."])
    return Detected(
        ecosystem="go",
        setup=("go mod download", f"{_ahead(f'go test -exec true {packages}')} || true"),
        test=f"go test {packages}",
        setup_why=(detection.MODULES_DOWNLOADED, detection.COMPILED_AHEAD),
        test_why=detection.go_tests(modules=len(modules)),
        tools=frozenset({"go", "gofmt", "golangci-lint"}),
    )


def find_maven(tree: Tree) -> Detected | None:
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


def _ahead(command: str) -> str:
    return f"timeout {_AHEAD} {command}"
