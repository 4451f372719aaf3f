"""What the program of an npm script does: it tests, looks at files, builds, starts other packages' scripts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from enum import StrEnum

from bot.ecosystems.commands.invocations import Invocation, Launcher, Programs, unwrapped
from bot.ecosystems.commands.shell import name_value, simple_commands
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.node.package_json import MANAGERS, package_script, package_scripts
from bot.ecosystems.node.runners import NAMES

SEQUENCES = frozenset({"run-s", "run-p", "npm-run-all", "npm-run-all2"})
"""Programs that run scripts by their names: https://github.com/mysticatea/npm-run-all."""

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
COMPILERS = frozenset(
    {"rollup", "webpack", "esbuild", "tsup", "tsdown", "unbuild", "microbundle", "babel", "swc"}
    | {"vite", "parcel"}
)
"""Programs that make of sources what others run."""

_BUILDERS = COMPILERS | {"rimraf", "rm", "del", "mkdir", "cp", "mv", "shx", "cpy", "copyfiles"}
COVERAGE = frozenset({"c8", "nyc"})
"""They measure what the program behind them runs, and may fail where that is not enough."""

NAMED_BY_MANAGERS = _CHECKS | _TYPES | NAMES
"""What `yarn NAME` and `pnpm NAME` run without a script of that name."""

WRAPPERS = frozenset({"cross-env", "env"})
_TASK_RUNNERS = frozenset({"turbo", "nx", "lerna", "rush", "lage", "moon", "wsrun", "ultra"})
_OF_MEMBERS = frozenset(
    {"-r", "--recursive", "--filter", "-F", "--workspaces", "-ws", "--workspace", "-w"}
    | {"workspaces", "workspace", "-C", "--dir", "--prefix", "--cwd"}
)
"""Words by which a package manager runs scripts of other packages than the one it is in."""

_STARTED = NAMED_BY_MANAGERS | _BROWSERS | MANAGERS
"""What wrappers start."""

_NO_WRAPPERS = (
    _STARTED
    | SEQUENCES
    | _TASK_RUNNERS
    | _BUILDERS
    | {"echo", "printf", "cat", "ls", "git", "test", "corepack", "command", "which"}
)
_SCRIPT = re.compile(r"[\w./@-]+\.[cm]?[jt]s")
_INSTALLED = re.compile(r"(?:\./)?node_modules/(?:[\w.@-]+/)+_?(?P<name>[\w-]+)(?:\.[cm]?js)?")


class ProgramKind(StrEnum):
    """What a part of a script does."""

    CHECK = "check"
    BROWSER = "browser"
    TEST = "test"
    MEMBERS = "members"
    BUILD = "build"
    OTHER = "other"


def kind_of_program(program: str, arguments: list[str]) -> ProgramKind:
    """Return what a program does, by its name and its options."""
    if runs_members(program, arguments):
        return ProgramKind.MEMBERS if _names_tests(arguments) else ProgramKind.BUILD
    if program in COVERAGE or _runs_tests(program, arguments):
        return ProgramKind.TEST
    if program in _BROWSERS or any("playwright" in argument for argument in arguments):
        return ProgramKind.BROWSER
    if program in _CHECKS or (program in _TYPES and "--noEmit" in arguments):
        return ProgramKind.CHECK
    return ProgramKind.BUILD if program in _BUILDERS | _TYPES else ProgramKind.OTHER


def words_in_front(words: Sequence[str]) -> int:
    """Return how many words are in front of the program that another one starts, 0 where none is known.

    As of `nyc --reporter lcov mocha`, `dotenv -e .env -- npm test` and `node bin/run.js mocha`.
    """
    if not words or words[0] in _NO_WRAPPERS:
        return 0
    for n, word in enumerate(words[1:], 1):
        if program_name(word) in _STARTED:
            return n
        is_value = words[n - 1].startswith("-") and words[n - 1] != "--"
        is_wrapper = word in COVERAGE | WRAPPERS or "=" in word or _SCRIPT.fullmatch(word)
        if not (word.startswith("-") or is_value or is_wrapper):
            return 0
    return 0


def program_name(word: str) -> str:
    """Return a word, or the name of the program for which it is the path below `node_modules`."""
    installed = _INSTALLED.fullmatch(word)
    return installed["name"] if installed else word


def runs_members(program: str, arguments: list[str]) -> bool:
    """Whether a command starts scripts of other packages than the one it is in."""
    return program in _TASK_RUNNERS or (program in MANAGERS and bool(_OF_MEMBERS & {*arguments}))


def _names_tests(arguments: list[str]) -> bool:
    return any(re.search(r"(?:^|\W)tests?(?:\W|$)", argument) for argument in arguments)


def _runs_tests(program: str, arguments: list[str]) -> bool:
    if program in {"node", "tsx", "ts-node", "bun", "deno"}:
        return _names_tests(arguments)
    return program in NAMES


_MOST = 30

_BY_PATTERN = re.compile(r"/(?P<front>\^?)(?P<text>[\w:-]+)(?:\.[*+])?\$?/")
"""A pattern of names, as plain as they nearly always are."""


def several(words: list[str], scripts: Mapping[str, str]) -> list[str]:
    """Return the scripts that a command runs by a pattern, or one after the other; none if it is another.

    https://pnpm.io/cli/run#running-multiple-scripts, https://github.com/mysticatea/npm-run-all
    """
    if not words:
        return []
    if words[0] in SEQUENCES:
        named = [word for word in words[1:] if not word.startswith("-")]
        known = all(name in scripts or name.endswith("*") for name in named)
        fronts = [(name.rstrip("*"), name.endswith("*")) for name in named] if known else []
        found = [
            script
            for front, begins in fronts[:_MOST]
            for script in scripts
            if (script.startswith(front) if begins else script == front)
        ]
        return found[:_MOST]
    pattern = _BY_PATTERN.fullmatch(words[-1])
    if pattern is None or words not in (["pnpm", "run", words[-1]], ["pnpm", words[-1]]):
        return []
    wanted, front = pattern["text"], bool(pattern["front"])
    found = [
        script for script in scripts if (script.startswith(wanted) if front else wanted in script)
    ]
    return found[:_MOST]


PROGRAMS = Programs(
    wrappers=(
        *(("npx",), ("bunx",), ("pnpm", "exec"), ("pnpm", "dlx"), ("npm", "exec")),
        ("yarn", "exec"),
    ),
    task_runners=dict.fromkeys(sorted(MANAGERS), package_script),
    manifest="package.json",
    installed=NAMES | {"eslint", "prettier", "biome", "stylelint", "standard", "xo", "tsc"},
    launcher=Launcher(
        ("npx", "--no-install"),
        MANAGERS | {"node", "npx", "bunx", "env", "uv", "python", "python3"},
    ),
    by_name=MANAGERS - {"npm"},
    in_front=words_in_front,
    name_of=program_name,
)

_RUN = frozenset({"run", "run-script"})
_TEST = {"t": "test", "tst": "test"}


def through_manager(
    command: str, runner: Invocation, arguments: Sequence[str], read: Read
) -> str | None:
    """Return a script's command with more arguments for the runner at its end, None if it has another.

    Args:
        command: Such as `npm test`.
        runner: What it runs last.
        arguments: What the runner is to be given, the ones that it has in front.
        read: Returns a file of the work tree.
    """
    more = arguments[len(runner.arguments) :]
    simple = simple_commands(command)
    if len(simple) != 1 or tuple(arguments[: len(runner.arguments)]) != runner.arguments:
        return None
    manager, *words = simple[0].words
    name = _script(manager, words)
    scripts = package_scripts(read)
    last = simple_commands(scripts.get(name, ""))[-1:]
    ends_with_it = bool(last) and unwrapped(last[0], (PROGRAMS,)).tool == runner.tool
    if not ends_with_it or f"post{name}" in scripts or runner.folder:
        return None
    between = ["--"] if manager == "npm" and "--" not in words else []
    settings = [name_value(word) for word in simple[0].assignments]
    return " ".join([*settings, shlex.join([manager, *words, *between, *more])])


def _script(manager: str, words: Sequence[str]) -> str:
    """Return the name of the script that a package manager runs, "" where it is no plain one."""
    if manager not in MANAGERS or not words:
        return ""
    named = words[1:] if words[0] in _RUN else words
    plain = bool(named) and not named[0].startswith("-")
    if not plain or (manager == "npm" and words[0] not in {*_RUN, "test", *_TEST}):
        return ""
    return _TEST.get(named[0], named[0])
