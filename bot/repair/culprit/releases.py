"""Look for the release that broke it: what was uploaded between the newest green state and now."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.model.culprit import WhatChanged
from bot.model.steps import now
from bot.repair.culprit.dated_packages import SandboxPackages
from bot.repair.culprit.looking import Looking
from bot.repair.culprit.release_walk import find_releases, hinted
from sandbox.git import GitError


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
    if newest <= oldest:
        return WhatChanged()
    packages = SandboxPackages(looking)
    text = "\n".join(f"{failure.message}\n{failure.detail}" for failure in red.failing)
    try:
        return await find_releases(
            packages,
            oldest,
            newest,
            looking.unexplained,
            lambda: hinted(f"{red.output}\n{text}", packages.modules()),
        )
    finally:
        await packages.close()


async def _oldest(looking: Looking) -> datetime | None:
    """Return the moment of the commit; None where its history is cut."""
    source, good = looking.context.source, looking.question.good
    try:
        moments = [await source.store.committed(item) for item in {source.head, good} - {""}]
    except GitError:
        return None
    return max(moments)
