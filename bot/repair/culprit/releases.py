"""Look for the release that broke it: what was uploaded between the newest green state and now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.ecosystems.python.detect import is_python
from bot.ecosystems.tree import DirectoryTree, Tree
from bot.errors import BudgetExhausted
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model.culprit import (
    ApiChangeKind,
    Certainty,
    Culprit,
    KnownRelease,
    RunCounts,
    VersionBound,
    WhatChanged,
)
from bot.model.steps import now
from bot.repair.culprit.api_difference import ApiQuestion, compare
from bot.repair.culprit.bound import bound_below, bounded, with_extra
from bot.repair.culprit.dated_packages import SandboxPackages
from bot.repair.culprit.explained_failure import LookCutShort, Looking
from bot.repair.culprit.package_clients import NPM, PYPI, PackageClient
from bot.repair.culprit.package_runs import PackageSet, ReleaseOutcome
from bot.repair.culprit.release_walk import find_releases
from bot.repair.workspace.setup_inputs import is_setup_input
from sandbox.base import WORKSPACE
from sandbox.git import GitError, PatchDoesNotApply

_DECLARE = (
    *("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "*requirements*.txt"),
    *("*requirements*.in", "*requirements*.pip", "*/*requirements*.txt", "requirements/*.txt"),
    "requirements/*.in",
)
"""Files in which a Python project may declare what it requires."""

_CLIENTS = {"python": PYPI, "node": NPM}
_JOBS: tuple[tuple[str, Callable[[Tree], bool]], ...] = (
    ("python", is_python),
    ("node", lambda tree: tree.exists("package.json")),
)
"""Ecosystems, each with what says that a job may be of it."""

_YOUNGEST = timedelta(days=1)
"""Between a commit and now; what broke a younger one is rather in it."""

_RUNS = 2
"""Of the failing tests with a bound."""

_MOST_PROGRAMS = 2_000
"""Of a repository that are looked through for what a package changed."""

_COMPARING = Allowance(seconds=120, memory=3 * 2**30)
"""For two versions of a package as large as SQLAlchemy, 25 s."""

_FRAME = re.compile(
    rf'(?m)^(?:E? *File ")?(?:{WORKSPACE}/|\./)?([\w.-][\w./-]*\.py)(?:", line |:)(\d+)'
    rf"|(?:file://)?{WORKSPACE}/(?!node_modules/)([\w./@-]+\.[cm]?[jt]sx?):(\d+)"
)
"""Of Python and pytest, or of V8: a place of the project."""
_ERROR = re.compile(r"(?:E +)?[\w.]*(?:Error|Exception|Warning)\b")
_GOES_ON = re.compile(r"(?:E +)?(?![-=_]{4})\w")
"""A further line of a message: pytest marks it, and what is none begins with a blank or a rule."""


async def look_at_releases(looking: Looking) -> WhatChanged:
    """Return the releases that explain the failing tests which no commit does.

    Of a change that updates packages, both environments are at hand. Else the tests may pass with the
    packages of the commit's own day, or of the commit that is said to be green if that is younger:
    somebody tested it then.
    """
    if (client := _client(looking)) is None:
        return WhatChanged()
    packages = SandboxPackages(looking, await _newest(looking), client)
    async with looking.closing(packages.close):
        found = await _in_update(looking, packages)
        if found.culprits:
            return found
        earlier = await _since_commit(looking, packages)
        return replace(
            earlier,
            ruled_out=(*found.ruled_out, *earlier.ruled_out),
            points=(*found.points, *earlier.points),
        )


def _client(looking: Looking) -> PackageClient | None:
    """Return the client of the packages with which the tests run; the commands of a job don't say it."""
    commands, tree = looking.context.commands, DirectoryTree(looking.context.source.directory)
    known = commands.ecosystems
    if commands.targets:
        known = tuple(name for name, there in _JOBS if there(tree))
    named = (_CLIENTS.get(name) for name in known)
    return next((client for client in named if client is not None), None)


async def _in_update(looking: Looking, packages: SandboxPackages) -> WhatChanged:
    """Return the releases that a change brings which does nothing but update what is installed."""
    older = await _updated_files(looking)
    if older:
        looking.take_all_time()  # it is the likeliest cause, and has its repairs
    if not older or (made := await packages.with_files(older)) is None:
        return WhatChanged()
    found = await _found(looking, packages, made[1])
    culprits = [await _with_api(looking, packages, item) for item in found.culprits]
    return replace(found, culprits=tuple(replace(item, is_update=True) for item in culprits))


async def _updated_files(looking: Looking) -> dict[str, bytes]:
    """Return the older texts of the files of an update; none where the change is more than one."""
    source, good = looking.context.source, looking.question.good
    if not good:
        return {}
    store = source.store
    try:
        changes = await store.changes(await store.tree_of(good), await store.tree_of(source.head))
        paths = [change.path for change in changes]
        if not all(is_setup_input(path) for path in paths):
            return {}
        texts = {path: await store.show(good, path) for path in paths}
    except GitError:
        return {}
    return {path: text for path, text in texts.items() if text is not None}


async def _since_commit(looking: Looking, packages: SandboxPackages) -> WhatChanged:
    """Return the releases since the commit's own day, or that of the one that is said to be green."""
    oldest = await _oldest(looking)
    if oldest is None or packages.newest - oldest < _YOUNGEST:
        return WhatChanged()
    found = await _found(looking, packages, oldest)
    culprits = [await _with_api(looking, packages, item) for item in found.culprits]
    culprits = [await _with_bound(looking, packages, item) for item in culprits]
    return replace(found, culprits=tuple(culprits))


async def _found(
    looking: Looking, packages: SandboxPackages, oldest: datetime | PackageSet
) -> WhatChanged:
    red = looking.question.red
    text = "\n".join(f"{failure.message}\n{failure.detail}" for failure in red.failing)
    releases = looking.run.tools.releases
    known = () if releases is None else await looking.run.steps("releases: known", releases.known)
    known = tuple(item for item in known if item.registry == packages.client.registry)
    asked = find_releases(
        packages,
        oldest,
        packages.newest,
        looking.unexplained,
        lambda: hinted(f"{red.output}\n{text}", packages.modules()),
        known,
    )
    try:
        return _of_registry(await asked, packages.client, known)
    except LookCutShort as cut:
        raise LookCutShort(_of_registry(cut.found, packages.client, known)) from cut


def _of_registry(
    found: WhatChanged, client: PackageClient, known: Sequence[KnownRelease]
) -> WhatChanged:
    """Return what was found with the registry, and how others followed the release."""
    followed = {(item.package, item.after): item.followed for item in known}
    culprits = tuple(
        replace(
            item,
            event=replace(item.event, registry=client.registry),
            followed=followed.get((item.event.name, item.event.after), ()),
        )
        for item in found.culprits
    )
    return replace(found, culprits=culprits)


async def _newest(looking: Looking) -> datetime:
    """Return the moment of the packages with which the failure was seen."""
    if (dated := looking.context.preparation.package_date) is not None:
        return dated
    return datetime.fromtimestamp(await looking.run.steps("releases: today", now), UTC)


async def _oldest(looking: Looking) -> datetime | None:
    """Return the moment of the commit; None where its history is cut."""
    source, good = looking.context.source, looking.question.good
    try:
        moments = [await source.store.committed(item) for item in {source.head, good} - {""}]
    except GitError:
        return None
    return max(moments)


async def _with_bound(looking: Looking, packages: SandboxPackages, culprit: Culprit) -> Culprit:
    """Return a proven culprit with what to require of it, if the tests pass with that each time.

    That is an extra that the failure asks for, else the bound that keeps the release out; the bound, too,
    where other tests of the failing command fail with the extra.
    """
    event = culprit.event
    if culprit.certainty is not Certainty.PROVEN or not (event.before and event.after):
        return culprit
    tree = DirectoryTree(looking.context.source.directory)
    patterns = ("package.json",) if event.registry == NPM.registry else _DECLARE
    paths = {path for pattern in patterns for path in tree.glob(pattern)}
    texts = {path: text for path in sorted(paths) if (text := tree.read(path)) is not None}
    wanted = [
        (f"{event.name}[{change.parameter}]", with_extra(texts, event.name, change.parameter))
        for change in culprit.api
        if change.kind is ApiChangeKind.EXTRA and change.is_shown
    ]
    with suppress(ValueError):
        below = bound_below(event.after)
        kept_out = bounded(texts, event.name, below, packages.brought_by(event.name))
        at = "@" if event.registry == NPM.registry else ""
        wanted.append((f"{event.name}{at}{below}", kept_out))
    found: VersionBound | None = None
    try:
        for requirement, changed in wanted:
            made = await _required(packages, requirement, changed) if changed else None
            if made is not None and (found is None or made[1]):
                found = made[0]
            if made is not None and made[1]:
                break
    except (BudgetExhausted, PatchDoesNotApply):
        pass
    return replace(culprit, bound=found)


async def _required(
    packages: SandboxPackages, requirement: str, changed: Mapping[str, str]
) -> tuple[VersionBound, bool] | None:
    """Return a requirement with the patch that declares it, if the tests pass with it each time.

    With it stands whether nothing else fails with it.
    """
    made = await packages.with_files({path: text.encode() for path, text in changed.items()})
    if made is None:
        return None
    patch, environment = made
    outcomes = [await packages.run(environment, n) for n in range(1, _RUNS + 1)]
    if any(outcome is not ReleaseOutcome.PASSES for outcome in outcomes):
        return None
    bound = VersionBound(requirement, patch.text, RunCounts(passed=len(outcomes)))
    return bound, environment.key in packages.green


async def _with_api(looking: Looking, packages: SandboxPackages, culprit: Culprit) -> Culprit:
    """Return a culprit with what the release changed for this repository."""
    event, red = culprit.event, looking.question.red
    if not (event.before and event.after):
        return culprit
    try:
        before = await packages.sources(event.name, event.before)
        after = await packages.sources(event.name, event.after)
    except BudgetExhausted:
        return culprit
    store, tree = looking.context.source.store, looking.context.prepared.tree
    ends = packages.client.programs
    paths = [path for path in await store.paths(tree) if path.endswith(ends)][:_MOST_PROGRAMS]
    programs = await store.files(tree, paths)
    told = "\n".join((red.output, *(f"{item.message}\n{item.detail}" for item in red.failing)))
    question = ApiQuestion(
        event.name,
        before,
        after,
        {path: text.decode("utf-8", "replace") for path, text in programs.items()},
        frozenset(
            (found[1] or found[3], int(found[2] or found[4])) for found in _FRAME.finditer(told)
        ),
        "\n".join((*errors_in(told), *(item.message for item in red.failing))),
        is_npm=event.registry == NPM.registry,
    )
    try:
        told_apart = await run_limited(compare, question, allowance=_COMPARING)
    except TooMuch:
        return culprit
    return replace(culprit, api=told_apart.changes, changelog=told_apart.changelog)


def errors_in(text: str) -> Iterator[str]:
    """Return the lines of errors, with those of the same message behind them."""
    inside = False
    for line in text.splitlines():
        is_first = _ERROR.match(line) is not None
        inside = is_first or (inside and _GOES_ON.match(line) is not None)
        if inside:
            yield line


def hinted(text: str, modules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the packages that a failure names: the last one named is the likeliest.

    Args:
        text: Messages and tracebacks.
        modules: Packages by the modules that they bring.
    """
    places: dict[str, int] = {}
    for module, package in modules.items():
        marks = (
            f"site-packages/{module}/",
            f"site-packages/{module}.py",
            f"node_modules/{module}/",
            f"'{module}'",
            f"'{module}.",
            f" {module}.",
        )
        at = max(text.rfind(mark) for mark in marks)
        if at >= 0:
            places[package] = max(at, places.get(package, -1))
    return tuple(sorted(places, key=lambda package: -places[package]))
