"""Print what is known of each ecosystem: `python -m tests.ecosystems_page` writes `docs/ecosystems.md`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.ecosystems.base import Ecosystem, Runner
from bot.ecosystems.registry import ECOSYSTEMS
from bot.repair.proposers.mechanical.fix_modes import MODES

PAGE = Path(__file__).parent.parent / "docs" / "ecosystems.md"

_TOP = """\
# What it handles

What Fixpoint knows of each kind of repository, printed from `bot/ecosystems/registry.py` (`make sentences` writes this page). `fixpoint doctor PATH` says what it finds in yours, without running anything. A repository of another kind works too, if the [repo config](repo-config.md) names its `setup` and `test` commands: a failure is then told by the exit code and by what the tools print.

The order is that of weight, where a repository has tests of several.

"""

_BOTTOM = """
**Some tests alone**: these runners are started for the failing tests only, before the whole suite; others run whole. **Adds what is missing**: what a failed setup or test run says that it lacks is added, and tried again. **As of a day**: packages can be those of a commit's day (`--as-of`), so old commits set up as they did then.

Projects of .NET, Elixir, Bazel and others aren't detected: name their commands. A machine that lacks a toolchain says so in one sentence, before anything runs.

## Repaired without a key

Everywhere: the fix modes of tools that the failing command runs, lock files and generators that say how to renew what they check, hooks of pre-commit, and what [memory](memory.md) knows. *revert* suggests taking back the commit that broke the tests, in any language.

| Kind | Tools with fix modes | Rules for findings | *search*, *adapt*, *bound* |
|---|---|---|---|
"""

_PROVEN = """
## Proven

For every repository: the failing command and the whole suite pass in a clean sandbox that the author of the patch can't reach, tests and protected configuration are [put back](verification.md#what-is-put-back), and the [guards](verification.md#rules) read the patch. What is shown besides depends on the language:

| Language | Tests must be able to fail | Inputs near those of the tests | Faults that tests must notice | Behaviour compared |
|---|---|---|---|---|
| Python | yes | yes | yes, in one process | yes |
| JavaScript, TypeScript | yes | yes | yes | no |
| Go, Rust | yes | yes | yes | no |
| others | no | no | no | no |
"""


@dataclass(frozen=True, slots=True)
class About:
    """What people call an ecosystem, and what repairs there.

    Attributes:
        title: Its name.
        tools: Whose fix modes are its own.
        rules: What findings of its tools are repaired by rules.
        more: The proposers that need no key and know its language.
    """

    title: str
    tools: tuple[str, ...] = ()
    rules: str = "no"
    more: str = "no"


_ABOUT = {
    "python": About(
        "Python",
        ("ruff", "black", "isort", "autoflake", "pyupgrade", "autopep8", "yapf"),
        "yes",
        "yes",
    ),
    "rust": About("Rust", ("cargo",)),
    "go": About("Go", ("gofmt", "gofumpt", "goimports", "golangci-lint")),
    "maven": About("Java (Maven)"),
    "gradle": About("Java and Kotlin (Gradle)"),
    "php": About("PHP"),
    "ruby": About("Ruby"),
    "node": About(
        "JavaScript and TypeScript",
        ("prettier", "eslint", "biome", "standard", "xo", "oxlint", "stylelint", "deno"),
        "yes",
    ),
    "cmake": About("C and C++ (CMake)"),
    "meson": About("C and C++ (Meson)"),
    "bats": About("Shell (Bats)", ("shfmt",)),
    "autotools": About("C and C++ (Autotools)"),
    "make": About("Make"),
    "pre-commit": About("pre-commit"),
}


def page() -> str:
    """Return the whole page."""
    return "".join((_TOP, _rows(_kinds()), _BOTTOM, _rows(_repairs()), _PROVEN))


def _rows(rows: Iterator[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _kinds() -> Iterator[tuple[str, ...]]:
    yield "Kind", "Found by", "Some tests alone", "Adds what is missing", "As of a day"
    yield ("---",) * 5
    for ecosystem in ECOSYSTEMS:
        last = " (if no other has tests)" if ecosystem.is_fallback else ""
        yield (
            _ABOUT[ecosystem.name].title,
            f"{ecosystem.sought}{last}",
            _narrowed(ecosystem.runners),
            _yes(_adds(ecosystem)),
            _yes(ecosystem.with_toolchain_of is not None),
        )


def _narrowed(runners: tuple[Runner, ...]) -> str:
    names = [f"`{runner.name}`" for runner in runners if runner.select is not None]
    return ", ".join(dict.fromkeys(names)) or "no"


def _adds(ecosystem: Ecosystem) -> bool:
    looks = ecosystem.looks
    return any((looks.versions, looks.setup, looks.tests, looks.around))


def _repairs() -> Iterator[tuple[str, ...]]:
    for ecosystem in ECOSYSTEMS:
        about = _ABOUT[ecosystem.name]
        if not about.tools:
            continue
        if unknown := set(about.tools) - set(MODES):
            raise ValueError(f"{sorted(unknown)} have no fix mode")
        tools = ", ".join(f"`{tool}`" for tool in about.tools)
        yield about.title, tools, about.rules, about.more


def _yes(holds: bool) -> str:  # noqa: FBT001 - it is what is printed
    return "yes" if holds else "no"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
