"""What `hashFiles` returns: a digest that changes with the files."""

from __future__ import annotations

import hashlib

from bot.ecosystems.tree import Tree


class FileHashes:
    """Digests files of one tree; they name caches, so only whether they change matters."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[tuple[str, ...], str] = {}

    def digest(self, patterns: tuple[str, ...]) -> str:
        """Return the digest of the files that match; empty when none does.

        Args:
            patterns: Globs from the root, one or more on each; those with `!` take files out.
        """
        if patterns not in self._known:
            self._known[patterns] = self._digest(patterns)
        return self._known[patterns]

    def _digest(self, patterns: tuple[str, ...]) -> str:
        lines = [line.strip() for pattern in patterns for line in pattern.splitlines()]
        paths: dict[str, None] = {}
        for line in lines:
            found = self._matching(line.removeprefix("!"))
            if line.startswith("!"):
                paths = {path: None for path in paths if path not in found}
            else:
                paths |= dict.fromkeys(found)
        if not paths:
            return ""
        state = hashlib.sha256()
        for path in sorted(paths):
            text = self._tree.read(path) or ""
            state.update(f"{path} {len(text)}\n{text}".encode())
        return state.hexdigest()

    def _matching(self, pattern: str) -> tuple[str, ...]:
        try:
            return self._tree.glob(pattern.removeprefix("./")) if pattern else ()
        except (ValueError, NotImplementedError):  # a pattern that pathlib does not take
            return ()
