"""Who owns a file or some lines of it: CODEOWNERS as GitHub reads it, else who wrote most of them. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bot.model.quarantine import CodeOwner, OwnerSource

CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks, the first there is.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

_LARGEST = 3 * 2**20
"""Bytes, from which on GitHub loads none."""

_ACCOUNT = re.compile(r"(?:\d+\+)?(?P<login>[A-Za-z0-9-]+)@users\.noreply\.github\.com")
_BOT = re.compile(r"\[bot\]|\bbot@|^(?:noreply|actions)@github\.com$|-bot$", re.IGNORECASE)


def code_owner(text: bytes, path: str) -> CodeOwner | None:
    """Return whom CODEOWNERS names for a file: of the patterns that match, the last one decides.

    A last pattern without names leaves the file to nobody.
    """
    if len(text) > _LARGEST:
        return None
    names: tuple[str, ...] = ()
    for line in text.decode("utf-8", "replace").splitlines():
        words = _words(line)
        if words and not words[0].startswith(("!", "#")) and _pattern(words[0]).match(path):
            names = tuple(word for word in words[1:] if "@" in word)
    return CodeOwner(names, OwnerSource.CODEOWNERS) if names else None


def main_author(lines: Iterable[tuple[str, str]]) -> CodeOwner | None:
    """Return who wrote most lines, bots left out.

    Args:
        lines: Of each, name and address of its author.
    """
    people = Counter(
        (address, name)
        for name, address in lines
        if not (_BOT.search(name) or _BOT.search(address))
    )
    if not people:
        return None
    address, name = max(people, key=lambda person: (people[person], person))
    account = _ACCOUNT.fullmatch(address)
    return CodeOwner((account["login"] if account else name,), OwnerSource.BLAME)


def _words(line: str) -> list[str]:
    r"""Return pattern and names of a line; a comment may follow them, and `\ ` is a space."""
    told = re.split(r"(?<!\\)\s+", line.strip())
    words = [word.replace("\\ ", " ") for word in told if word]
    end = next((n for n, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:end]


def _pattern(glob: str) -> re.Pattern[str]:
    r"""Return a pattern as GitHub understands it: as gitignore does, without `!`, `[...]` and `\#`.

    `docs/*` means files of that folder and none below.
    """
    body = glob.strip("/")
    anchored = glob.startswith("/") or "/" in body
    parts = []
    for part in re.split(r"(\*\*/|/\*\*$|\*|\?)", body):
        match part:
            case "**/":
                parts.append("(?:.*/)?")
            case "/**":
                parts.append("/.*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case _:
                parts.append(re.escape(part))
    below = "/.*" if glob.endswith("/") else "" if body.endswith("/*") else "(?:/.*)?"
    front = "" if anchored else "(?:.*/)?"
    return re.compile(f"{front}{''.join(parts)}{below}\\Z", re.DOTALL)
