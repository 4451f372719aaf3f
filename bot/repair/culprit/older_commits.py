"""Run the failing tests at other commits: laid over them, in an environment of the same inputs."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from bot.ci.failure_identity import KnownFailures, identity_of
from bot.model import Failure, Observation
from bot.model.culprit import StateResults
from bot.repair.culprit.explained_failure import Looking
from bot.repair.guards import is_test_file
from bot.repair.job import AtCommit
from bot.repair.preparation.prepare import prepare
from bot.repair.preparation.setup_repair import kept_fresh
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, RunState
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.sandbox_cleanup import clean_up
from bot.repair.workspace.setup_inputs import touches_setup
from bot.reporting.reasons import culprit as reasons
from sandbox.git import PatchDoesNotApply

UNNAMED = ""
"""In the place of a test's id, where a failure has none."""

_RAISED = re.compile(r"^[A-Za-z_][\w.]*")

_IDLE = frozenset(
    {"version", "description", "readme", "authors", "maintainers", "keywords", "classifiers"}
    | {"urls", "license", "license-files", "homepage", "repository", "bugs", "author"}
)
"""Keys of a project's table that say nothing about what is installed."""

_LIST = re.compile(r"(?:requirements|constraints)[^\n]{0,80}\.(?:txt|in)$")
"""Paths of lists of packages."""

_LARGE = frozenset(
    {".lock", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rs", ".go", ".java", ".ts"}
)
"""Ends of files that name no list."""

_LONGEST = 200_000
"""Bytes of a file that is read for the names of lists."""

_TOOLS = frozenset(
    {"ruff", "black", "isort", "mypy", "pyright", "pylint", "pytest", "coverage", "codespell"}
    | {"towncrier", "commitizen", "bumpversion", "bumpver", "semantic_release", "cibuildwheel"}
    | {"tox", "interrogate", "flake8", "pydocstyle", "basedpyright", "mutmut", "doc8"}
)
"""Tools that read their table when they run."""


Telling = Callable[[Observation, Observation, tuple[str, ...]], StateResults]
"""Says what an observation tells of failing tests that were observed at the head."""


class States:
    """The commits of a line, each ready for the failing tests."""

    def __init__(
        self, looking: Looking, tell: Telling | None = None, *, lays_tests: bool = True
    ) -> None:
        """Describe how the tests are run and read.

        Args:
            looking: With what is to be explained.
            tell: What a run tells of the failing tests; `told_by` if None.
            lays_tests: Whether the failing tests are those of the head in every state.
        """
        self._looking = looking
        self._tell = tell or told_by
        self._lays_tests = lays_tests
        self._rooms: dict[str, RepairContext | str] = {}
        self._own_ids: list[str] = []
        self._laid_all = False
        self._runs = 0
        self._times: dict[str, int] = {}

    async def run(self, commit: str) -> StateResults:
        """Run the failing tests at a commit.

        Raises:
            BudgetExhausted: When the time is up.
            RunStopped: When somebody stops the run.
        """
        return await self.run_tree(commit, await self._looking.context.source.store.tree_of(commit))

    async def run_tree(self, commit: str, tree: str) -> StateResults:
        """Run the failing tests on a tree that needs what a commit needs.

        Raises:
            BudgetExhausted: When the time is up.
            RunStopped: When somebody stops the run.
        """
        self._times[tree] = time = self._times.get(tree, 0) + 1
        seen = self._looking.run.known.seen_at
        key = (f"{self._looking.question.job} {tree}", time)
        if key not in seen:
            seen[key] = await self._run(commit, tree)
        return seen[key]

    async def _run(self, commit: str, tree: str) -> StateResults:
        await self._looking.check()
        room = await self._room(commit)
        if isinstance(room, str):
            return StateResults(why=room)
        told = await self._told(room, commit, tree, everything=self._laid_all)
        if told.failing or told.passing or self._laid_all or not self._lays_tests:
            return told
        wider = await self._told(room, commit, tree, everything=True)
        self._laid_all = bool(wider.failing or wider.passing)
        return wider if self._laid_all else told

    async def close(self) -> None:
        """Remove the environments that were made."""
        for run_id in self._own_ids:
            await clean_up(self._looking.run.tools.sandboxes, run_id)

    async def _told(
        self, room: RepairContext, commit: str, tree: str, *, everything: bool
    ) -> StateResults:
        looking, store = self._looking, self._looking.context.source.store
        tree = await self._laid(tree, everything=everything) if self._lays_tests else tree
        patch = await patch_between(store, await store.tree_of(room.source.head), tree)
        self._runs += 1
        name = f"explain-{self._runs}"
        command = looking.context.commands.failing
        clean_room = room.clean_room(looking.run)
        try:
            seen = await looking.run.steps(
                f"explain {commit[:12]} {self._runs}",
                clean_room.observe,
                f"{looking.run.job.run_id}-{name}", command, patch,
            )  # fmt: skip
        except PatchDoesNotApply:
            return StateResults(why=reasons.TREE_DIFFERS)
        return self._tell(seen, looking.question.red, looking.question.tests)

    async def set_up_like(self, tree: str, commits: Iterable[str]) -> str:
        """Return the first commit whose setup is a tree's as well; "" for none."""
        key = await self._key(tree)
        for commit in commits:
            if await self._key(commit) == key:
                return commit
        return ""

    async def _laid(self, tree: str, *, everything: bool) -> str:
        """Return a tree with the failing tests as the head has them."""
        looking, store = self._looking, self._looking.context.source.store
        head = await store.tree_of(looking.context.source.head)
        changed = [change.path for change in await store.changes(tree, head) if change.blob]
        tests = [path for path in changed if is_test_file(path)]
        if not everything:
            files = _files_of(looking.question.red, looking.question.tests)
            tests = [path for path in tests if path in files]
        return await store.put_back(tree, head, tests)

    async def _room(self, commit: str) -> RepairContext | str:
        """Return where a commit's tests run, or why they can't."""
        looking = self._looking
        if not self._rooms:
            key = await self._key(looking.context.source.head)
            self._rooms[key] = looking.context
        key = await self._key(commit)
        if key not in self._rooms:
            self._rooms[key] = await self._set_up(commit)
        return self._rooms[key]

    async def _key(self, commit: str) -> str:
        """Return what a setup reads of a commit, as a digest."""
        context = self._looking.context
        language = next(iter(context.commands.ecosystems), "")
        contents = await context.source.store.contents(commit)
        read = sorted(
            path
            for path in contents
            if touches_setup((path,), language) and not path.startswith(".github/")
        )
        known = [path for path in read if PurePosixPath(path).suffix not in _LARGE]
        texts = await context.source.store.files(commit, known, longest=_LONGEST)
        read = named_inputs(read, texts, context.commands.setup)
        manifests = {
            path: texts.get(path, b"") for path in read if PurePosixPath(path).name in _LEVELLED
        }
        return digest_of({path: contents[path] for path in read}, manifests)

    async def _set_up(self, commit: str) -> RepairContext | str:
        looking = self._looking
        own_id = f"{looking.run.job.run_id[:16]}c{len(self._own_ids)}"
        self._own_ids.append(own_id)
        job, commands = looking.run.job, looking.context.commands
        setup = commands.setup if job.failed else job.setup  # a job's own steps are no repository's
        job = replace(job, run_id=own_id, failing=commands.failing, setup=setup)
        anew = replace(looking.run, job=job, known=RunState())
        try:
            context = await prepare(anew, AtCommit(looking.commits, commit))
            context = await kept_fresh(anew, context)
        except Concluded as end:
            return end.reason
        return replace(context, aside=looking.context.aside)


def _files_of(red: Observation, tests: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(tests)
    return frozenset(
        failure.file
        for failure in red.failing
        if failure.file and (not wanted or failure.test in wanted)
    )


def told_by(seen: Observation, red: Observation, tests: tuple[str, ...]) -> StateResults:
    """Return what an observation tells of failing tests.

    One that fails of something else there, because what it tests is not there yet, tells nothing.

    Args:
        seen: At some commit.
        red: At the head.
        tests: Ids of the failing ones; none where the failure has no name.
    """
    if not tests:
        ids = frozenset({UNNAMED})
        if seen.ok:
            return StateResults(passing=ids)
        same = seen.exit_code == red.exit_code and not seen.named
        return StateResults(failing=ids) if same else StateResults(why=reasons.FAILS_OTHERWISE)
    known = KnownFailures(seen.failing)
    failing = set()
    otherwise = False
    for failure in red.failing:
        if failure.test not in tests or not (there := known.named(failure)):
            continue
        if known.same(failure) or any(_raises_the_same(failure, other) for other in there):
            failing.add(failure.test)
        else:
            otherwise = True
    passing = frozenset(tests) & seen.passed
    if not seen.passed and _all_ran(seen, red):  # the runner names no test that passes
        passing = frozenset(tests) - seen.failing_ids - seen.skipped
    told = StateResults(frozenset(failing), passing - failing)
    if told.failing | told.passing == frozenset(tests):
        return told
    why = reasons.FAILS_OTHERWISE if otherwise or not seen.ok else reasons.NOT_THERE
    return replace(told, why=why)


def _all_ran(seen: Observation, red: Observation) -> bool:
    """Whether as many tests came to a result as at the head; where nobody counts, the exit code says it."""
    if seen.counts is None or red.counts is None:
        return seen.ok
    there, here = (
        counts.passed + counts.failed + counts.skipped for counts in (seen.counts, red.counts)
    )
    return there == here and not any(identity_of(failure).coarse for failure in seen.failing)


def _raises_the_same(failure: Failure, other: Failure) -> bool:
    """Whether two failures of a test are of one kind, although they don't say the same."""
    if identity_of(failure).coarse or identity_of(other).coarse:
        return False
    kinds = {
        raised[0].lower().removesuffix("ionerror")
        for each in (failure, other)
        if (raised := _RAISED.match(each.message.strip()))
    }
    return len(kinds) == 1


def named_inputs(
    paths: Iterable[str], texts: Mapping[str, bytes], setup: Iterable[str]
) -> list[str]:
    """Return the inputs of a setup without the lists of packages that nothing names.

    A list counts if a command of the setup names it, or another file that counts, as with `-r dev.txt`.

    Args:
        paths: Of what a setup may read.
        texts: Of these, as far as they are read.
        setup: The commands.
    """
    paths = list(paths)
    lists = {path for path in paths if _LIST.search(path)}
    counted = [path for path in paths if path not in lists]
    said = [*setup, *(texts.get(path, b"").decode("utf-8", "replace") for path in counted)]
    while said:
        told = "\n".join(said)
        named = sorted(path for path in lists if _names(told, path))
        lists.difference_update(named)
        counted += named
        said = [texts.get(path, b"").decode("utf-8", "replace") for path in named]
    return sorted(counted)


def _names(text: str, path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.name in text or (bool(pure.parent.name) and f"{pure.parent.name}/*" in text)


def digest_of(contents: Mapping[str, str], manifests: Mapping[str, bytes]) -> str:
    """Return what tells the inputs of setups apart.

    Args:
        contents: Ids of the files that a setup reads, by path.
        manifests: Texts of those in which a part alone says what is installed.
    """
    digest = hashlib.sha256()
    for path, blob in sorted(contents.items()):
        part = _levelled(path, manifests[path]) if path in manifests else blob
        digest.update(f"{path}\0{part}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:32]


def _levelled(path: str, text: bytes) -> str:
    """Return the part of a manifest that says what is installed; all of it, where it can't be read."""
    return _LEVELLED[PurePosixPath(path).name](text)


def _pyproject(text: bytes) -> str:
    try:
        read: dict[str, Any] = tomllib.loads(text.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return text.decode("utf-8", "replace")
    tools = read.get("tool", {})
    for table, idle in (
        (read.get("project", {}), _IDLE),
        (tools.get("poetry", {}), _IDLE),
        (tools, _TOOLS),
    ):
        for key in idle & set(table):
            del table[key]
    return json.dumps(read, sort_keys=True, default=str)


def _package_json(text: bytes) -> str:
    try:
        read = json.loads(text)
        return json.dumps({key: read[key] for key in read if key not in _IDLE}, sort_keys=True)
    except (ValueError, TypeError):
        return text.decode("utf-8", "replace")


_LEVELLED = {"pyproject.toml": _pyproject, "package.json": _package_json}
