"""Go: modules and workspaces."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, Runner, manager_by_file, subcommand
from bot.ecosystems.go.detect import find
from bot.ecosystems.go.missing import missing_of_go, old_go
from bot.ecosystems.go.select import go_test

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
