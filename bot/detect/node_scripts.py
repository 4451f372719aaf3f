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
from enum import StrEnum

_CHECKS = frozenset(
    re.findall(
        r"[\w-]+",
        """xo eslint eslint_d tslint jshint jscs standard ts-standard semistandard prettier biome
    oxlint oxfmt dprint stylelint tsd check-dts dtslint attw publint knip depcheck madge ls-lint
    markdownlint markdownlint-cli2 remark lockfile-lint cspell flow type-coverage size-limit
    bundlesize bundlewatch commitlint lint-staged sort-package-json syncpack manypkg""",
    )
)
"""Programs that look at files alone: no test needs what they leave."""

_TYPES = frozenset({"tsc", "tsgo", "vue-tsc"})
_BROWSERS = frozenset({"karma", "wtr", "web-test-runner", "cypress", "testem", "playwright"})
_RUNNERS = frozenset({"vitest", "jest", "mocha", "ava", "tap", "tape", "jasmine", "uvu", "qunit"})
_BUILDERS = frozenset(
    {"rollup", "webpack", "esbuild", "tsup", "tsdown", "unbuild", "microbundle", "babel", "swc"}
    | {"vite", "parcel", "rimraf", "rm", "del", "mkdir", "cp", "mv", "shx", "cpy", "copyfiles"}
)
_COVERAGE = frozenset({"c8", "nyc"})
_WRAPPERS = frozenset({"cross-env", "env"})
_MANAGERS = frozenset({"npm", "yarn", "pnpm", "bun"})
_DEPTH = 5

_TASK_RUNNERS = frozenset({"turbo", "nx", "lerna", "rush", "lage", "moon", "wsrun", "ultra"})
_OF_MEMBERS = frozenset(
    {"-r", "--recursive", "--filter", "-F", "--workspaces", "-ws", "--workspace", "-w"}
    | {"workspaces", "workspace", "-C", "--dir", "--prefix", "--cwd"}
)
"""Words by which a package manager runs scripts of other packages than the one it is in."""

_OTHER_NAMES = re.compile(
    r"(?:unit|tests?)(?:[-:_](?:unit|lib|node|run|ci|only|all|vitest|jest|mocha))*"
)
"""Of scripts that run a package's tests where none is called `test`."""

_PLACEHOLDER = "no test specified"
"""Of the script that `npm init` writes."""

_WORDS = re.compile(r"[\w@./:=,*'\"{}\[\]!?+^~ -]+")
"""Of a part in which the shell does nothing but to run a program."""


class Kind(StrEnum):
    """What a part of a script does."""

    CHECK = "check"
    BROWSER = "browser"
    TEST = "test"
    MEMBERS = "members"
    BUILD = "build"
    OTHER = "other"


_LEFT_OUT = frozenset({Kind.CHECK, Kind.BROWSER})
_NO_TEST = _LEFT_OUT | {Kind.MEMBERS, Kind.BUILD}


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a script.

    Attributes:
        text: As a shell takes it in the package's folder.
        kind: What it does.
    """

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class TestsAlone:
    """A `test` script without what is no test.

    Attributes:
        command: What is left.
        left_out: What is not.
    """

    command: str
    left_out: frozenset[Kind]


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
    while len(kept) > 1 and kept[-1].kind in {
        Kind.BUILD,
        Kind.OTHER,
    }:  # no test needs what runs behind it
        kept.pop()
    return TestsAlone(" && ".join(part.text for part in kept), left_out)


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
    return next((one for one in others if _runs_own_tests(one, scripts, manager)), "")


def _runs_own_tests(name: str, scripts: Mapping[str, str], manager: str) -> bool:
    """Whether a script is there, and may do more than what is known to be no test."""
    if not has_test(scripts.get(name, "")):
        return False
    return any(part.kind not in _NO_TEST for part in _script(name, scripts, manager, 0))


def _has_tests(kept: list[Part]) -> bool:
    """Whether something runs tests; a program of the project alone can hardly be anything else."""
    if any(part.kind in {Kind.TEST, Kind.MEMBERS} for part in kept):
        return True
    return len(kept) == 1 and "node" in kept[0].text.split()


def _script(name: str, scripts: Mapping[str, str], manager: str, depth: int) -> Iterator[Part]:
    """Yield the parts of a script with those that managers run before and behind it.

    A part without text stands for something that can't be taken apart.
    """
    surrounding = () if manager == "pnpm" and depth else (f"pre{name}", f"post{name}")
    for key in (*surrounding[:1], name, *surrounding[1:]):
        if key not in scripts:
            continue
        for text in scripts[key].split("&&"):
            if _WORDS.fullmatch(text) is None or (words := _split(text)) is None:
                yield Part("", Kind.OTHER)
            else:
                yield from _parts(words, text.strip(), scripts, manager, depth)


def _split(text: str) -> list[str] | None:
    try:
        return shlex.split(text) or None
    except ValueError:  # a quote around `&&`
        return None


def _parts(
    words: list[str], text: str, scripts: Mapping[str, str], manager: str, depth: int
) -> Iterator[Part]:
    """Yield a command as one part, or the parts of the script that it runs if some are no tests."""
    called = _called(words, scripts)
    if called is None or depth >= _DEPTH:
        yield Part(_runnable(words, text, manager), _kind(words, scripts, depth))
        return
    inner = list(_script(called, scripts, manager, depth + 1))
    kinds = {part.kind for part in inner}
    plain = words in _calls_of(called, words[0])
    mixed = Kind.TEST in kinds and kinds & {Kind.CHECK, Kind.BROWSER}
    if mixed and plain and all(part.text for part in inner):
        yield from inner
    elif len(kinds) == 1:
        yield Part(text, kinds.pop())
    else:
        rest = Kind.BUILD if kinds <= _NO_TEST else Kind.OTHER
        yield Part(text, Kind.TEST if Kind.TEST in kinds else rest)


def _calls_of(name: str, manager: str) -> tuple[list[str], ...]:
    """Return the ways to call a script without any options."""
    return ([manager, "run", name], [manager, "run-script", name], [manager, name])


def _called(words: list[str], scripts: Mapping[str, str]) -> str | None:
    """Return the script that a package manager is told to run, None where it is no script."""
    if words[0] not in _MANAGERS or _OF_MEMBERS & {*words}:
        return None
    rest = words[1:]
    runs = rest[:1] in (["run"], ["run-script"])
    name = (rest[1:] if runs else rest)[:1]
    if not name or name[0] not in scripts or (words[0] == "npm" and not runs and name != ["test"]):
        return None
    return name[0]


def _kind(words: list[str], scripts: Mapping[str, str], depth: int) -> Kind:
    """Return what a command does, by the name of its program and by its options."""
    left = _unwrapped(words)
    if not left:
        return Kind.OTHER
    program, arguments = left[0].rpartition("/")[2], left[1:]
    if program in _TASK_RUNNERS or (program in _MANAGERS and _OF_MEMBERS & {*arguments}):
        return Kind.MEMBERS if _names_tests(arguments) else Kind.BUILD
    named = _called(left, scripts)
    if named is None or depth >= _DEPTH:
        return _kind_of_program(program, arguments)
    kinds = {part.kind for part in _script(named, scripts, left[0], depth + 1)}
    return Kind.TEST if Kind.TEST in kinds else Kind.OTHER


def _kind_of_program(program: str, arguments: list[str]) -> Kind:
    if program in _COVERAGE or _runs_tests(program, arguments):
        return Kind.TEST
    if program in _BROWSERS or any("playwright" in one for one in arguments):
        return Kind.BROWSER
    if program in _CHECKS or (program in _TYPES and "--noEmit" in arguments):
        return Kind.CHECK
    return Kind.BUILD if program in _BUILDERS | _TYPES else Kind.OTHER


def _names_tests(arguments: list[str]) -> bool:
    return any(re.search(r"(?:^|\W)tests?(?:\W|$)", one) for one in arguments)


def _runs_tests(program: str, arguments: list[str]) -> bool:
    if program in {"node", "tsx", "ts-node", "bun", "deno"}:
        return _names_tests(arguments)
    return program in _RUNNERS


def _unwrapped(words: list[str]) -> list[str]:
    """Return a command without what only surrounds it: variables, `npx`."""
    left = list(words)
    while left:
        if "=" in left[0] or left[0] in {"npx", *_WRAPPERS} or left[0].startswith("-"):
            left = left[1:]
        elif left[0] in _MANAGERS and left[1:2] in (["exec"], ["dlx"]):
            left = left[2:]
        elif left[0] in {"yarn", "pnpm"} and left[1:] and left[1] in _CHECKS | _TYPES | _RUNNERS:
            left = left[1:]
        else:
            break
    return left


def _runnable(words: list[str], text: str, manager: str) -> str:
    """Return a command that finds the programs which npm packages install."""
    if words[0] in {"node", "npx", *_MANAGERS} or words[0].startswith("./"):
        return text
    prefix = {"yarn": "yarn run", "pnpm": "pnpm exec"}.get(manager, "npx --no-install")
    assignments = list(_leading(words))
    rest = text
    for word in assignments:
        rest = rest.removeprefix(word).lstrip()
    return " ".join([*assignments, prefix, rest])


def _leading(words: list[str]) -> Iterator[str]:
    for word in words:
        if re.fullmatch(r"[A-Za-z_]\w*=[\w./:-]*", word) is None:
            return
        yield word
