"""Look for the release that broke it: what was uploaded between the newest green state and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.ecosystems.tree import DirectoryTree
from bot.errors import BudgetExhausted
from bot.model.culprit import Certainty, Culprit, RunCounts, VersionBound, WhatChanged
from bot.model.steps import now
from bot.repair.culprit.bound import bound_below, bounded
from bot.repair.culprit.dated_packages import SandboxPackages
from bot.repair.culprit.looking import Looking
from bot.repair.culprit.package_runs import ReleaseOutcome
from bot.repair.culprit.release_walk import find_releases
from sandbox.git import GitError, PatchDoesNotApply

_DECLARE = (
    *("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "*requirements*.txt"),
    *("*requirements*.in", "*requirements*.pip", "*/*requirements*.txt", "requirements/*.txt"),
    "requirements/*.in",
)
"""Files in which a Python project may declare what it requires."""

_YOUNGEST = timedelta(days=1)
"""Between a commit and now; what broke a younger one is rather in it."""

_RUNS = 2
"""Of the failing tests with a bound."""


async def look_at_releases(looking: Looking) -> WhatChanged:
    """Return the releases that explain the failing tests which no commit does.

    With the packages of the commit's own day, or of the commit that is said to be green if that is
    younger, the tests may pass: somebody tested it then.
    """
    if "python" not in looking.context.commands.ecosystems:
        return WhatChanged()
    run, red = looking.run, looking.question.red
    if (oldest := await _oldest(looking)) is None:
        return WhatChanged()
    today = datetime.fromtimestamp(await run.steps("releases: today", now), UTC)
    newest = run.job.as_of or today
    if newest - oldest < _YOUNGEST:
        return WhatChanged()
    packages = SandboxPackages(looking)
    text = "\n".join(f"{failure.message}\n{failure.detail}" for failure in red.failing)
    async with looking.closing(packages.close):
        found = await find_releases(
            packages,
            oldest,
            newest,
            looking.unexplained,
            lambda: hinted(f"{red.output}\n{text}", packages.modules()),
        )
        culprits = [await _with_bound(looking, packages, item) for item in found.culprits]
        return replace(found, culprits=tuple(culprits))


async def _oldest(looking: Looking) -> datetime | None:
    """Return the moment of the commit; None where its history is cut."""
    source, good = looking.context.source, looking.question.good
    try:
        moments = [await source.store.committed(item) for item in {source.head, good} - {""}]
    except GitError:
        return None
    return max(moments)


async def _with_bound(looking: Looking, packages: SandboxPackages, culprit: Culprit) -> Culprit:
    """Return a proven culprit with the bound that keeps it out, if the tests pass with that each time."""
    event = culprit.event
    if culprit.certainty is not Certainty.PROVEN or not (event.before and event.after):
        return culprit
    try:
        below = bound_below(event.after)
    except ValueError:
        return culprit
    tree = DirectoryTree(looking.context.source.directory)
    paths = {path for pattern in _DECLARE for path in tree.glob(pattern)}
    texts = {path: text for path in sorted(paths) if (text := tree.read(path)) is not None}
    changed = bounded(texts, event.name, below, packages.brought_by(event.name))
    try:
        made = await packages.with_files(changed) if changed else None
        if made is None:
            return culprit
        patch, environment = made
        outcomes = [await packages.run(environment, n) for n in range(1, _RUNS + 1)]
    except (BudgetExhausted, PatchDoesNotApply):
        return culprit
    if any(outcome is not ReleaseOutcome.PASSES for outcome in outcomes):
        return culprit
    runs = RunCounts(passed=len(outcomes))
    return replace(culprit, bound=VersionBound(f"{event.name}{below}", patch.text, runs))


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
            f"'{module}'",
            f"'{module}.",
            f" {module}.",
        )
        at = max(text.rfind(mark) for mark in marks)
        if at >= 0:
            places[package] = max(at, places.get(package, -1))
    return tuple(sorted(places, key=lambda package: -places[package]))
