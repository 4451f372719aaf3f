"""Choose the package that a run is about, in a repository that holds several.

The files that are known to matter say it: those of a patch to verify, those that the problem names,
those that a pull request changes. Without any, a repository with tests of its own is tested as a
whole; else the last commit decides.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from bot.ecosystems.detection import detect, has_root_tests
from bot.ecosystems.node.workspaces import workspace_of
from bot.ecosystems.python.packages import tested
from bot.ecosystems.tested_packages import has_packages, mentioned, package_of
from bot.ecosystems.tree import Tree, tree_of
from bot.model import Problem
from bot.repair.job import Source
from bot.repair.proposers.given_patch import GivenPatch
from bot.repair.run import Run
from bot.reporting.reasons import detection
from sandbox.git import GitError

_PATH = re.compile(r"(?<![\w.-])[\w.-]+(?:/[\w.-]+)+")
_DOTTED = re.compile(r"\b(?:\w+\.)+\w+")
"""A test or a module, by its dotted name."""


@dataclass(frozen=True, slots=True)
class PackageChoice:
    """The package whose tests are meant.

    Attributes:
        folder: Of it; "" for the repository as a whole.
        why: One sentence for a person, "" for the repository as a whole.
    """

    folder: str = ""
    why: str = ""


async def chosen_package(run: Run, source: Source, tree: Tree) -> PackageChoice:
    """Return the package that a run is about; nothing is chosen where somebody named a command."""
    if run.job.test or run.job.failing:
        return PackageChoice()
    async for folder, why in _clues(run, source, tree):
        if folder:
            return PackageChoice(folder, why(folder))
    return PackageChoice()


def default_package(tree: Tree, changed: Sequence[str], paths: Sequence[str]) -> PackageChoice:
    """Return the package to test where only packages have tests, and nothing names one.

    Args:
        tree: Of the repository.
        changed: What its last commit changed.
        paths: All of its files.
    """
    if folder := package_of(tree, changed):
        return PackageChoice(folder, detection.package_of_last_commit(folder))
    tests = [path for path in paths if path.endswith(".py") and "test" in path]
    folders = [package.folder for package in tested(tree)]
    if not folders:  # a workspace of JavaScript can be tested as a whole
        return PackageChoice()
    most = max(folders, key=lambda item: sum(path.startswith(f"{item}/") for path in tests))
    return PackageChoice(most, detection.package_with_most_tests(most))


def member_tests(tree: Tree, changed: Sequence[str]) -> str | None:
    """Return the command for the tests of the package of a JavaScript workspace that files belong to.

    Its own tests may be among none of those at the root, and are installed with it.
    """
    folder = package_of(tree, changed)
    if not folder or workspace_of(tree_of(tree, folder)) is not tree:
        return None
    return detect(tree, setup=None, test=None, failing=None, folder=folder).test


def named(tree: Tree, problem: Problem, paths: Sequence[str]) -> str:
    """Return the package of the files that a problem names, or which it names itself."""
    text = f"{problem.title}\n{problem.body}\n{problem.instructions}"
    words = {match[0].rstrip(".") for match in _PATH.finditer(text)}
    dotted = (match[0].replace(".", "/") for match in _DOTTED.finditer(text))
    words |= {f"{front}.py" for item in dotted for front in _fronts(item)}
    ends = {word.rpartition("/")[2] for word in words}
    near = (path for path in paths if path.rpartition("/")[2] in ends)
    files = [path for path in near if any(_same(path, word) for word in words)]
    return package_of(tree, files) or mentioned(tree, text)


async def _clues(
    run: Run, source: Source, tree: Tree
) -> AsyncIterator[tuple[str, Callable[[str], str]]]:
    """Yield what each clue says, the surest first, and how that is told to people."""
    given = run.who(lambda item: item.is_given)
    known = given.patch.files if isinstance(given, GivenPatch) else ()
    test = run.job.given_test
    known = known if test is None else (*known, test.path)
    yield package_of(tree, known), detection.package_of_patch
    paths = await source.store.paths(await source.store.tree_of(source.head))
    yield named(tree, run.job.problem, paths), detection.package_named
    if run.job.problem.is_pull_request:
        changed = await changed_files(source, source.trusted)
        yield package_of(tree, changed), detection.package_of_pull_request
    if has_packages(tree) and not has_root_tests(tree):
        chosen = default_package(tree, await changed_files(source, source.head), paths)
        yield chosen.folder, lambda _: chosen.why


def _same(path: str, word: str) -> bool:
    """Whether a path of the tree and one of a text, absolute or cut, are the same file's."""
    return path == word or path.endswith(f"/{word}") or word.endswith(f"/{path}")


def _fronts(path: str) -> tuple[str, ...]:
    """Return a path, and it without its last one or two parts: they may be a test and its class."""
    parts = path.split("/")
    return tuple("/".join(parts[:n]) for n in range(len(parts), max(1, len(parts) - 3), -1))


async def changed_files(source: Source, since: str) -> tuple[str, ...]:
    """Return the files that the head changes against a commit, or its own last commit did."""
    store = source.store
    try:
        before = await store.before(source.head, since, 1)
        if not before:
            return ()
        changes = await store.changes(await store.tree_of(before), await store.tree_of(source.head))
    except GitError:  # its history is cut
        return ()
    return tuple(change.path for change in changes)
