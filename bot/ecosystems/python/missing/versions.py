"""Notice that the Python is not one that the project works with, and choose another."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.python.missing.modules import modules
from bot.ecosystems.python.versions import python_range, wanted_python
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_REFUSED = (
    re.compile(r"requires a different Python: [\w.+]+ not in ['\"](?P<range>[^'\"]+)['\"]"),
    re.compile(
        r"Python version \([\w.+]+\) does not satisfy Python(?P<range>[<>=!~][\w.,*<>=!~]*)"
    ),
    re.compile(
        r"Python version \(?[\w.+]+\)? is not (?:allowed|supported) by the project \((?P<range>[^)]+)\)"
    ),
)
"""What pip, uv and poetry say."""

# Modules and names that a version of Python took away: https://docs.python.org/3/whatsnew/
_GONE_MODULES = {
    (3, 12): ("asynchat", "asyncore", "distutils", "imp", "smtpd"),
    (3, 13): (
        *("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap"),
        *("msilib", "nis", "nntplib", "ossaudiodev", "pipes", "sndhdr", "spwd", "sunau"),
        *("telnetlib", "uu", "xdrlib"),
    ),
}
_GONE_NAMES = (
    ((3, 9), r"'(?:HTMLParser|xml\.etree\.ElementTree\.Element)' object has no attribute '(?:unescape|getchildren)'"),
    ((3, 10), r"cannot import name '(?:Mapping|MutableMapping|Sequence|Iterable|Callable|Set|Hashable|MutableSequence)' from 'collections'"),
    ((3, 10), r"module 'collections' has no attribute '(?:Mapping|MutableMapping|Sequence|Iterable|Callable|Hashable)'"),
    ((3, 11), r"module 'inspect' has no attribute '(?:getargspec|formatargspec)'"),
    ((3, 11), r"module 'asyncio' has no attribute 'coroutine'"),
    ((3, 12), r"module 'pkgutil' has no attribute 'ImpImporter'"),
    ((3, 12), r"'\w+' object has no attribute '(?:assertEquals|assertRegexpMatches|assertItemsEqual|failUnless)'"),
    ((3, 12), r"module 'configparser' has no attribute 'SafeConfigParser'"),
    ((3, 13), r"module 'unittest' has no attribute '(?:makeSuite|findTestCases)'"),
    ((3, 14), r"module 'ast' has no attribute '(?:Str|Num|NameConstant|Bytes|Ellipsis)'"),
)  # fmt: skip
_NAMED_VERSION = re.compile(r"Python :: (?P<listed>3\.\d+)|\bpy(?P<factor>3\d{1,2})\b")
_VERSION_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini")


def wrong_version(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the making of another environment where the output tells that this one is wrong."""
    for pattern in _REFUSED:
        for match in pattern.finditer(symptoms.output):
            wanted = python_range(match["range"])
            if symptoms.in_setup and wanted and (allowed := _within(wanted, tree)):
                yield _environment(allowed, setup_repair.python_refused(wanted))
                return
    gone = _gone(symptoms.output)
    if gone is not None:
        what, version = gone
        named = ".".join(map(str, version))
        if allowed := _within(f"<{named}", tree):
            yield _environment(allowed, setup_repair.python_too_new(what, named))


def listed_versions(tree: Tree) -> tuple[Version, ...]:
    """Return the versions that classifiers and tox environments name, the newest first."""
    texts = (tree.read(path) or "" for path in _VERSION_FILES)
    found = {
        match["listed"] or f"{match['factor'][0]}.{match['factor'][1:]}"
        for text in texts
        for match in _NAMED_VERSION.finditer(text)
    }
    return tuple(sorted(map(Version, found), reverse=True))


def _gone(output: str) -> tuple[str, tuple[int, int]] | None:
    """Return what the code expects of Python, and the version that took it away."""
    for module in modules(output):
        for version, gone in _GONE_MODULES.items():
            if module.partition(".")[0] in gone:
                return module, version
    for version, pattern in _GONE_NAMES:
        if match := re.search(pattern, output):
            return match[0], version
    return None


def _within(range_: str, tree: Tree) -> str | None:
    """Return what to ask uv for: the newest version that is listed and in the range, else it all."""
    wanted = wanted_python(tree)
    own = SpecifierSet((wanted and python_range(wanted.request)) or "")
    both = SpecifierSet(range_) & own
    listed = (version for version in listed_versions(tree) if both.contains(version))
    version = next(listed, None)
    return str(version) if version else str(both) or None


def _environment(request: str, why: str) -> Remedy:
    make = f"uv venv --clear --seed --python {shlex.quote(request)} {ENVIRONMENT}"
    return Remedy("another Python", why, (make,), first=True)
