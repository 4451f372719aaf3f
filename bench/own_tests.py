"""Which tests are a public repair's own: by file, by function, by title."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

_FUNCTION = re.compile(r"^\s*(?:async )?(?:func|fn) (\w+)\s*\(", re.MULTILINE)
_TITLE = re.compile(r"""\b(?:it|test)(?:\.\w+)?\s*\(\s*(["'`])((?:\\.|(?!\1).)+)\1(\s*\+)?""")
_NAME = re.compile(r"\w+")
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_NO_FILES = (".c", ".cc", ".cpp")


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of a public project.

    Attributes:
        repo: `owner/name` on GitHub.
        fix: The commit of the repair.
        tests: Its test files.
        turned: Ids of the tests that it turns green, or none when they are not listed.
        functions: That its test files define, where a test goes by the name of one.
        titles: That its test files give to tests.
        beginnings: Of titles that its test files compute.
    """

    repo: str
    fix: str
    tests: tuple[str, ...]
    turned: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()

    def read_in(self, folder: Path) -> Repair:
        """Return it with what its test files in `folder` call their tests."""
        titles, beginnings = _titles(folder, self.tests)
        functions = _functions(folder, self.tests)
        return replace(self, functions=functions, titles=titles, beginnings=beginnings)

    def unseen(self, failing: frozenset[str]) -> frozenset[str]:
        """Return the tests that it is known to turn green and that are not among the failing."""
        seen = tuple(map(_dotted, failing))
        return frozenset(t for t in self.turned if not any(_same(_dotted(t), s) for s in seen))

    def has(self, test: str) -> bool:
        """Whether a test is in its test files, as far as the test's id tells."""
        files = (Path(file).with_suffix("").as_posix() for file in self.tests)
        return self._names(test) or any(_is_in(test, file) for file in files)

    def _names(self, test: str) -> bool:
        if {*_NAME.findall(test)} & self.functions or test.endswith((*self.titles,)):
            return True
        return any(f" {beginning}" in f" {test}" for beginning in self.beginnings)


def load(file: Path) -> list[Repair]:
    """Return the repairs of either kind of file, in its order."""
    text = file.read_text("utf-8")
    if file.suffix == ".json":
        return [
            Repair(
                entry["repo"],
                entry["fix_commit"],
                tuple(entry["test_files"]),
                frozenset(entry["fail_to_pass"]),
            )
            for entry in json.loads(text)
        ]
    entries = tomllib.loads(text)["case"]
    return [Repair(item["repo"], item["fix"], tuple(item["tests"])) for item in entries]


def _functions(folder: Path, tests: tuple[str, ...]) -> frozenset[str]:
    """Return the functions that test files of Go and Rust define."""
    texts = _texts(folder, tests, (".go", ".rs"))
    return frozenset(name for text in texts for name in _FUNCTION.findall(text))


def _titles(folder: Path, tests: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the titles that test files of JavaScript give to tests, and how computed ones begin."""
    texts = _texts(folder, tests, _SCRIPTS)
    found = [match.groups() for text in texts for match in _TITLE.finditer(text)]
    begun = {title.partition("${")[0]: bool(plus) or "${" in title for _, title, plus in found}
    whole = frozenset(title for title, computed in begun.items() if not computed)
    return whole, frozenset(begun) - whole - {""}


def _texts(folder: Path, tests: tuple[str, ...], suffixes: tuple[str, ...]) -> list[str]:
    files = (folder / name for name in tests if name.endswith(suffixes))
    return [file.read_text("utf-8") for file in files]


def _dotted(test: str) -> str:
    return test.replace("::", ".").removeprefix("__main__.")


def _same(one: str, other: str) -> bool:
    """Whether two dotted names are one test's: a runner may leave out what is around it."""
    return f".{one}".endswith(f".{other}") or f".{other}".endswith(f".{one}")


def _is_in(test: str, file: str) -> bool:
    """Whether a test's id says that it is in a file, written as a path or with dots."""
    if file.endswith(_NO_FILES):
        return test == Path(file).stem
    own = rf"(?<!\w){re.escape(Path(file).name)}(?!\w)"
    return file in test or file.replace("/", ".") in test or bool(re.search(own, test))
