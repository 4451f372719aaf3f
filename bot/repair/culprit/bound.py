"""Write a bound on a package's versions where a Python project declares it, in the project's own style. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

_QUOTED = re.compile(
    r"(?P<quote>[\"'])(?P<text>[A-Za-z0-9](?:[ \t]*+[^\s\"';@]++)*+)"
    r"(?P<rest>[ \t]*+(?:;[^\n]*?)?)(?P=quote)"
)
_REQUIREMENT = r"(?P<text>[A-Za-z0-9](?:[ \t]*+[^\s;#@]++)*+)(?P<rest>[ \t]*+(?:[;#][^\n]*+)?\r?)$"
_LINE = re.compile(rf"(?m)^{_REQUIREMENT}")
_INDENTED = re.compile(rf"(?m)^(?P<front>[ \t]++){_REQUIREMENT}")
_TABLE = re.compile(r"(?m)^(?P<name>[A-Za-z0-9][\w.-]*)\s*=\s*\"(?P<spec>[^\"\n]*)\"")
_NO_REQUIREMENT = re.compile(
    r"^\s*(?:name|keywords|packages|py_modules|description|classifiers|module)\s*="
)
_LISTS = frozenset({"deps", "requires", "install_requires", "tests_require", "setup_requires"})
_KEY = re.compile(r"^(?P<key>[\w.-]+)\s*[=:]")
_SECTION = re.compile(r"^\[(?P<name>[^\]]+)\]")

Rewrite = Callable[[str], str | None]
"""Returns what a requirement becomes, None where it stays."""


def bound_below(version: str) -> str:
    """Return the specifier that leaves out a version and what is newer, as people write it.

    Raises:
        ValueError: When it is no version.
    """
    try:
        numbers = Version(version).release
    except InvalidVersion as error:
        raise ValueError(version) from error
    while len(numbers) > 1 and not numbers[-1]:
        numbers = numbers[:-1]
    return f"<{'.'.join(map(str, numbers))}"


def bounded(
    texts: Mapping[str, str], package: str, bound: str, brought_by: Iterable[str] = ()
) -> dict[str, str]:
    """Return the files that change so that a package stays below a bound; none where no place is known.

    It is written where the package is declared, else beside a declared one that brings it.

    Args:
        texts: Of the files that may declare requirements, by path.
        package: Its normalised name.
        bound: As `bound_below` returns it.
        brought_by: Normalised names of packages that require it.
    """
    if (text := texts.get("package.json")) is not None:
        manifest = bounded_manifest(text, package, bound)
        if manifest != text:
            return {"package.json": manifest}
    name = canonicalize_name(package)
    if changed := _rewritten(texts, partial(_with_bound, name, bound)):
        return changed
    for other in brought_by:
        beside = partial(_beside, canonicalize_name(other), f"{package}{bound}")
        if changed := _rewritten(texts, beside):
            return changed
    return {}


def with_extra(texts: Mapping[str, str], package: str, extra: str) -> dict[str, str]:
    """Return the files that change so that a package is installed with an extra.

    Args:
        texts: Of the files that may declare requirements, by path.
        package: Its normalised name.
        extra: As the package writes it.
    """
    return _rewritten(texts, partial(_with_extra, canonicalize_name(package), extra))


def _rewritten(texts: Mapping[str, str], rewrite: Rewrite) -> dict[str, str]:
    found = {path: _in_file(path, text, rewrite) for path, text in texts.items()}
    return {path: text for path, text in found.items() if text != texts[path]}


def _in_file(path: str, text: str, rewrite: Rewrite) -> str:
    """Return a file's text with its requirements rewritten."""
    name = posixpath.basename(path)
    if name == "package.json":
        return text  # `bounded_manifest` has its own grammar
    if name.endswith((".cfg", ".ini")):
        return _in_lists(text, rewrite)
    if name.endswith((".py", ".toml")):
        lines = [
            line if _NO_REQUIREMENT.match(line) else _QUOTED.sub(partial(_in_quotes, rewrite), line)
            for line in text.splitlines(keepends=True)
        ]
        whole = "".join(lines)
        return _TABLE.sub(partial(_in_table, rewrite), whole) if name.endswith(".toml") else whole
    return _LINE.sub(partial(_in_line, rewrite), text)


def _in_lists(text: str, rewrite: Rewrite) -> str:
    """Return the text of an INI file with the requirements in its lists rewritten."""
    section = key = ""
    lines = []
    for line in text.splitlines(keepends=True):
        if found := _SECTION.match(line):
            section, key = found["name"], ""
        elif found := _KEY.match(line):
            key = found["key"]
        is_listed = key in _LISTS or section.startswith("options.extras_require")
        lines.append(_INDENTED.sub(partial(_in_line, rewrite), line) if is_listed else line)
    return "".join(lines)


def _in_quotes(rewrite: Rewrite, found: re.Match[str]) -> str:
    quote, rest = found["quote"], found["rest"] or ""
    written = rewrite(found["text"])
    if written is None:
        return found[0]
    parts = written.split("\n")
    ends = [rest] + [""] * (len(parts) - 1)
    return ", ".join(f"{quote}{part}{end}{quote}" for part, end in zip(parts, ends, strict=True))


def _in_line(rewrite: Rewrite, found: re.Match[str]) -> str:
    front = found.groupdict().get("front") or ""
    written = rewrite(found["text"])
    if written is None:
        return found[0]
    first, *others = written.split("\n")
    return "\n".join((f"{front}{first}{found['rest']}", *(f"{front}{other}" for other in others)))


def _in_table(rewrite: Rewrite, found: re.Match[str]) -> str:
    """Rewrite poetry's `name = "^1.2"`: https://python-poetry.org/docs/dependency-specification/."""
    spec = found["spec"]
    plain = re.sub(r"^[\^~](?=\d)", ">=", spec)
    written = rewrite(found["name"] + ("" if spec == "*" else plain))
    if written is None or "\n" in written:
        return found[0]
    added = written.rsplit(",", 1)[-1].removeprefix(found["name"])
    return f'{found["name"]} = "{added if spec == "*" else f"{spec},{added}"}"'


def _requirement(text: str) -> Requirement | None:
    try:
        return Requirement(text)
    except InvalidRequirement:
        return None


def _with_bound(name: str, bound: str, text: str) -> str | None:
    """Return a requirement of the package with the bound; None for others and for pinned ones."""
    found = _requirement(text)
    if found is None or canonicalize_name(found.name) != name:
        return None
    kinds = {specifier.operator for specifier in found.specifier}
    if kinds & {"==", "===", "<", "<=", "~="}:
        return None
    return f"{text.rstrip()}{',' if kinds else ''}{bound}"


def _with_extra(name: str, extra: str, text: str) -> str | None:
    """Return a requirement of the package with an extra; None for others and where it has that."""
    found = _requirement(text)
    if found is None or canonicalize_name(found.name) != name or extra in found.extras:
        return None
    end = text.index(found.name) + len(found.name)
    if not found.extras:
        return f"{text[:end]}[{extra}]{text[end:]}"
    closed = text.index("]")
    return f"{text[:closed]},{extra}{text[closed:]}"


def _beside(name: str, added: str, text: str) -> str | None:
    """Return a requirement with another one after it, on a line of its own; None for others."""
    found = _requirement(text)
    if found is None or canonicalize_name(found.name) != name:
        return None
    return f"{text}\n{added}"


_EXACT = re.compile(r"=?v?\d+(?:\.\d+){2}")
_COMPARATOR = re.compile(r"-|[\^~<>=]+|[\^~<>=]*+v?[\dxX*][\w.*+-]*")
"""A word of a range: an operator may stand alone, before its version."""


def bounded_manifest(text: str, package: str, bound: str) -> str:
    """Return a `package.json` in which the ranges of a package stay below a bound, as npm joins comparators.

    Ranges: https://docs.npmjs.com/cli/v11/configuring-npm/package-json#dependencies. What is pinned, bounded
    already, or no range (an address, a tag) stays.
    """
    declared = re.compile(rf'("{re.escape(package)}"\s*:\s*")([^"\n]*)(")')
    return declared.sub(lambda found: found[1] + _below(found[2], bound) + found[3], text)


def _below(wanted: str, bound: str) -> str:
    parts = [part.strip() for part in wanted.split("||")]
    if parts in ([""], ["*"], ["latest"], ["x"]):
        return bound
    if "<" in wanted or any(_EXACT.fullmatch(part) or not _is_range(part) for part in parts):
        return wanted
    return " || ".join(f"{part} {bound}" for part in parts)


def _is_range(part: str) -> bool:
    words = part.split()
    versions = [word for word in words if word.strip("^~<>=-")]
    return bool(versions) and all(_COMPARATOR.fullmatch(word) for word in words)
