"""What a project expects of a pull request: the template to fill in, and whether commits are signed off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.config.repo_config import RepoConfig, Titles
from bot.reporting.commit_text import TitleStyle, style_of
from sandbox.git import ObjectStore

_FOLDERS = (".github", "", "docs")
"""Where GitHub looks for a template, in this order.
https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/creating-a-pull-request-template-for-your-repository"""

_NAME = "pull_request_template"
_SUFFIXES = (".md", ".txt", "")
_OF_FIXES = ("bug", "fix")
_DCO_FILES = frozenset({".github/dco.yml", ".github/dco.yaml"})
"""Settings of https://github.com/apps/dco."""

_SIGNED_OFF = "\nSigned-off-by: "
_FEWEST_MESSAGES = 10
_MOST_SIGNED = 0.8


@dataclass(frozen=True, slots=True)
class Conventions:
    """What was found in a repository.

    Attributes:
        template: Text of the template for pull requests; "" without one.
        has_dco: Whether it has settings of a check for sign-offs.
    """

    template: str = ""
    has_dco: bool = False


def asks_commits(config: RepoConfig) -> bool:
    """Whether the last commits tell how to write, as the repo config leaves something open."""
    return config.titles is Titles.AUTO or config.sign_off == "auto"


def style_and_sign_off(
    config: RepoConfig, messages: Sequence[str], *, has_dco: bool = False
) -> tuple[TitleStyle, bool]:
    """Return how commits are titled and whether they are signed off.

    Args:
        config: It decides, unless it says *auto*.
        messages: Of the last commits.
        has_dco: Whether the repository has settings of a check for sign-offs.
    """
    titles = [message.partition("\n")[0] for message in messages]
    auto = config.titles is Titles.AUTO
    style = style_of(titles) if auto else TitleStyle(config.titles.value)
    signed = has_dco or signs_off(messages) if config.sign_off == "auto" else config.sign_off
    return style, signed


async def read_conventions(store: ObjectStore, commit: str) -> Conventions:
    """Return what the files of a commit say."""
    tree = await store.tree_of(commit)
    paths = await store.paths(tree)
    path = template_path(paths)
    content = await store.show(tree, path) if path is not None else None
    text = (content or b"").decode("utf-8", "replace")
    return Conventions(text, has_dco=not _DCO_FILES.isdisjoint(path.lower() for path in paths))


def template_path(paths: Iterable[str]) -> str | None:
    """Return the template that GitHub would offer; of a folder of them, the one for fixes."""
    known = [*paths]
    for folder in _FOLDERS:
        inside = [path for path in known if _folder(path) == folder]
        for path in inside:
            stem, suffix = PurePosixPath(path).stem, PurePosixPath(path).suffix
            if stem.lower() == _NAME and suffix.lower() in _SUFFIXES:
                return path
        several = [path for path in known if _folder(path) == f"{folder}/{_NAME}".lstrip("/")]
        if several:
            return min(several, key=lambda path: (not _is_of_fixes(path), path))
    return None


def signs_off(messages: Sequence[str]) -> bool:
    """Return whether nearly all of the last commits carry a sign-off."""
    own = [message for message in messages if not message.startswith("Merge ")]
    signed = sum(_SIGNED_OFF in message for message in own)
    return len(own) >= _FEWEST_MESSAGES and signed >= _MOST_SIGNED * len(own)


def _folder(path: str) -> str:
    return path.rpartition("/")[0].lower()


def _is_of_fixes(path: str) -> bool:
    return any(word in PurePosixPath(path).stem.lower() for word in _OF_FIXES)
