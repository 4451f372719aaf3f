"""Which parts of a package's `test` script run tests, and which only look at files.

A script such as `npm run lint && tsc --noEmit && vitest run && npm run test:browser` ends at its
first part that fails: a linter of a newer release, or a browser that is not there, would keep the
tests from being seen.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.ecosystems.commands.shell import is_assignment, name_value
from bot.ecosystems.node.package_json import MANAGERS
from bot.ecosystems.node.programs import (
    COVERAGE,
    NAMED_BY_MANAGERS,
    SEQUENCES,
    WRAPPERS,
    ProgramKind,
    kind_of_program,
    program_name,
    runs_members,
    several,
    words_in_front,
)

_DEPTH = 5
_PATTERN_DEPTH = 2
"""A pattern that names scripts with patterns multiplies what there is to read."""

_OTHER_NAMES = re.compile(
    r"(?:unit|tests?)(?:[-:_](?:unit|lib|node|run|ci|only|all|vitest|jest|mocha))*"
)
"""Of scripts that run a package's tests where none is called `test`."""

_PLACEHOLDER = "no test specified"
"""Of the script that `npm init` writes."""

_WORDS = re.compile(r"[\w@./:=,*'\"{}\[\]!?+^~ -]+")
"""Of a part in which the shell does nothing but to run a program."""

_ASSIGNMENTS = re.compile(r"(?:[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"])*\s+)+")
"""In front of a command, as the shell takes them."""


_LEFT_OUT = frozenset({ProgramKind.CHECK, ProgramKind.BROWSER})
_PREPARING = frozenset({ProgramKind.BUILD, ProgramKind.OTHER})
_NO_TEST = _LEFT_OUT | {ProgramKind.MEMBERS, ProgramKind.BUILD}


@dataclass(frozen=True, slots=True)
class ScriptCommand:
    """One command of a script.

    Attributes:
        text: As a shell takes it in the package's folder.
        kind: What it does.
    """

    text: str
    kind: ProgramKind


@dataclass(frozen=True, slots=True)
class TestsAlone:
    """A `test` script without what is no test.

    Attributes:
        command: What is left.
        left_out: What is not.
    """

    command: str
    left_out: frozenset[ProgramKind]


def tests_alone(scripts: Mapping[str, str], manager: str, name: str) -> TestsAlone | None:
    """Return a package's tests without checks of files and without a browser.

    None where nothing else is in the script, or where it is not clear what would be left.

    Args:
        scripts: Of `package.json`.
        manager: The package manager that runs them.
        name: Of the script that runs the tests.
    """
    parts = list(_script(name, scripts, manager, 0)) if name in scripts else []
    if any(not part.text for part in parts):
        return None
    kept = [part for part in parts if part.kind not in _LEFT_OUT]
    left_out = frozenset(part.kind for part in parts) & _LEFT_OUT
    if not left_out or not _has_tests(kept):
        return None
    while len(kept) > 1 and kept[-1].kind in _PREPARING:  # no test needs what runs behind it
        kept.pop()
    return TestsAlone(" && ".join(part.text for part in kept), left_out)


def parts_of(name: str, scripts: Mapping[str, str], manager: str) -> tuple[ScriptCommand, ...]:
    """Return the parts of a script; one without text stands for what can't be taken apart."""
    return tuple(_script(name, scripts, manager, 0))


def has_test(script: str) -> bool:
    """Whether a `test` script is one, and not what `npm init` writes."""
    return bool(script) and _PLACEHOLDER not in script


def test_script(scripts: Mapping[str, str], manager: str) -> str:
    """Return the name of the script that runs a package's own tests, "" where none seems to.

    One called `test` may only build, or run those of other packages.
    """
    if _runs_own_tests("test", scripts, manager):
        return "test"
    others = [name for name in scripts if name != "test" and _OTHER_NAMES.fullmatch(name)]
    others.sort(key=len)
    return next((item for item in others if _runs_own_tests(item, scripts, manager)), "")


def _runs_own_tests(name: str, scripts: Mapping[str, str], manager: str) -> bool:
    """Whether a script is there, and may do more than what is known to be no test."""
    if not has_test(scripts.get(name, "")):
        return False
    return any(part.kind not in _NO_TEST for part in _script(name, scripts, manager, 0))


def _has_tests(kept: list[ScriptCommand]) -> bool:
    """Whether something runs tests; a program of the project alone can hardly be anything else."""
    if any(part.kind in {ProgramKind.TEST, ProgramKind.MEMBERS} for part in kept):
        return True
    return len(kept) == 1 and "node" in kept[0].text.split()


def _script(
    name: str, scripts: Mapping[str, str], manager: str, depth: int
) -> Iterator[ScriptCommand]:
    """Yield the parts of a script with those that managers run before and behind it.

    A part without text stands for something that can't be taken apart.
    """
    surrounding = () if manager == "pnpm" and depth else (f"pre{name}", f"post{name}")
    for key in (*surrounding[:1], name, *surrounding[1:]):
        if key not in scripts:
            continue
        for text in scripts[key].split("&&"):
            if _WORDS.fullmatch(text) is None or (words := _split(text)) is None:
                yield ScriptCommand("", ProgramKind.OTHER)
            else:
                yield from _parts(words, text.strip(), scripts, manager, depth)


def _split(text: str) -> list[str] | None:
    try:
        return shlex.split(text) or None
    except ValueError:  # a quote around `&&`
        return None


def _parts(
    words: list[str], text: str, scripts: Mapping[str, str], manager: str, depth: int
) -> Iterator[ScriptCommand]:
    """Yield a command as one part, or the parts of the scripts that it runs if some are no tests."""
    settings = list(_leading(words))
    bare = words[len(settings) :]
    if depth < _PATTERN_DEPTH and (named := several(bare, scripts)):
        runs = "npm" if bare[0] in SEQUENCES else bare[0]
        for name in named:
            for part in _parts(
                [runs, "run", name], f"{runs} run {name}", scripts, manager, depth + 1
            ):
                yield ScriptCommand(
                    " ".join([*map(name_value, settings), part.text]) if part.text else "",
                    part.kind,
                )
        return
    called = _called(words, scripts)
    if called is None or depth >= _DEPTH:
        yield ScriptCommand(_runnable(words, text, manager), _kind(words, scripts, depth))
        return
    inner = list(_script(called, scripts, manager, depth + 1))
    kinds = {part.kind for part in inner}
    plain = _loud(words) in _calls_of(called, words[0])
    mixed = ProgramKind.TEST in kinds and kinds & {ProgramKind.CHECK, ProgramKind.BROWSER}
    if mixed and plain and all(part.text for part in inner):
        yield from inner
    elif len(kinds) == 1:
        yield ScriptCommand(text, kinds.pop())
    else:
        rest = ProgramKind.BUILD if kinds <= _NO_TEST else ProgramKind.OTHER
        yield ScriptCommand(text, ProgramKind.TEST if ProgramKind.TEST in kinds else rest)


def _calls_of(name: str, manager: str) -> tuple[list[str], ...]:
    """Return the ways to call a script without any options."""
    return ([manager, "run", name], [manager, "run-script", name], [manager, name])


def _loud(words: list[str]) -> list[str]:
    """Return a package manager's command without what only makes it say less."""
    return [word for word in words if word not in {"--silent", "-s", "--quiet", "--if-present"}]


def _called(words: list[str], scripts: Mapping[str, str]) -> str | None:
    """Return the script that a package manager is told to run, None where it is no script."""
    if words[0] not in MANAGERS or runs_members(words[0], words[1:]):
        return None
    rest = _loud(words)[1:]
    runs = rest[:1] in (["run"], ["run-script"])
    name = (rest[1:] if runs else rest)[:1]
    if not name or name[0] not in scripts or (words[0] == "npm" and not runs and name != ["test"]):
        return None
    return name[0]


def _kind(words: list[str], scripts: Mapping[str, str], depth: int) -> ProgramKind:
    """Return what a command does, by the name of its program and by its options."""
    left = _unwrapped(words)
    if not left:
        return ProgramKind.OTHER
    left = left[words_in_front(left) :] if left[0] not in COVERAGE else left
    program, arguments = program_name(left[0]).rpartition("/")[2], left[1:]
    named = _called(left, scripts)
    if named is None or depth >= _DEPTH:
        return kind_of_program(program, arguments)
    kinds = {part.kind for part in _script(named, scripts, left[0], depth + 1)}
    return ProgramKind.TEST if ProgramKind.TEST in kinds else ProgramKind.OTHER


def _unwrapped(words: list[str]) -> list[str]:
    """Return a command without what only surrounds it: variables, `npx`."""
    left = list(words)
    while left:
        if "=" in left[0] or left[0] in {"npx", *WRAPPERS} or left[0].startswith("-"):
            left = left[1:]
        elif left[0] in MANAGERS and left[1:2] in (["exec"], ["dlx"]):
            left = left[2:]
        elif left[0] in {"yarn", "pnpm"} and left[1:] and left[1] in NAMED_BY_MANAGERS:
            left = left[1:]
        else:
            break
    return left


def _runnable(words: list[str], text: str, manager: str) -> str:
    """Return a command that finds the programs which npm packages install."""
    if words[0] in {"node", "npx", *MANAGERS} or words[0].startswith("./"):
        return text
    prefix = {"yarn": "yarn run", "pnpm": "pnpm exec"}.get(manager, "npx --no-install")
    assignments = _ASSIGNMENTS.match(text)
    front = assignments[0] if assignments else ""
    return f"{front}{prefix} {text.removeprefix(front)}"


def _leading(words: list[str]) -> Iterator[str]:
    for word in words:
        if not is_assignment(word):
            return
        yield word
