"""How a Go module or workspace is set up and tested."""

from __future__ import annotations

import re
import shlex

from bot.ecosystems.base import Detected, compiled_ahead
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

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
