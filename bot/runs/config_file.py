"""Read a repository's config at a ref: in a process apart, because anybody may have written it.

64 KiB of YAML can be written so that reading them takes most of a second.
"""

from __future__ import annotations

from bot.config.repo_config import PATH, RepoConfig, parse
from bot.errors import RepoConfigError
from bot.github.github import GitHub
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model.repository import Repo

_READING = Allowance(seconds=5)


async def read_config(github: GitHub, repo: Repo, ref: str) -> RepoConfig:
    """Return the repo config at a ref; without a file, the defaults.

    Raises:
        RepoConfigError: With one sentence per problem.
    """
    content = await github.read_file(repo, PATH, ref)
    if content is None:
        return RepoConfig()
    try:
        return await run_limited(parse, content, allowance=_READING)
    except TooMuch as error:
        raise RepoConfigError((f"{PATH}: {error}",)) from error
