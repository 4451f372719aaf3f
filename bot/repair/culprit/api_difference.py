"""Compare what two versions of a package offer, as far as a repository uses it."""

from __future__ import annotations

import difflib
import logging
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import griffe
from packaging.utils import canonicalize_name

from bot.code.imported_names import CallArguments, Named, named_of
from bot.code.script_names import ScriptName, script_names
from bot.code.syntax import parse, parsed
from bot.model.culprit import ApiChange, ApiChangeKind
from bot.repair.culprit.node_api import NodeApi
from bot.repair.culprit.package_api import (
    CHANGELOG,
    METADATA,
    OPEN,
    CallParameter,
    Item,
    PackageApi,
    body_of,
    is_program,
    member,
    parameters,
    signature,
    words,
)

Place = tuple[str, int]

_MOST = 24
"""Changes that are kept."""

_MOST_USES = 200
_MOST_NAMES = 3
"""That may take a name's place because they end like it: a class is imported in many modules."""

_ALIKE = 0.8
"""Of two bodies, from which on one is the other under a new name."""

_INSTEAD = re.compile(
    r"(?i:\b(?:use|to|replaced by|in favou?r of)):?\s+(?:the\s+)?"
    r"(?::\w+:)?[~'\"`]{0,3}(?P<name>[A-Za-z_]\w*(?:\.\w+)*)(?P<marked>\(|['\"`])?"
)
_DEPRECATED = re.compile(r"(?i)deprecat|will be removed|no longer|rename")
_LACKS = re.compile(r"'(?P<type>[\w.]+)' object has no attribute '(?P<name>\w+)'")
_EXTRA = re.compile(r"(?m)^Provides-Extra: ([\w.-]+)")
_ASKED_FOR = re.compile(r"\w\[([\w.-]+)\]")
"""An extra as a message asks for it; names that differ in `-`, `_` and `.` are the same (PEP 685)."""

_CHANGELOG_NAMES = 3
"""Changes that are looked for in a changelog."""

_SAID = 300
"""Characters of somebody else's words."""


@dataclass(frozen=True, slots=True)
class ApiQuestion:
    """What is compared, and for whom.

    Attributes:
        package: Name of the distribution.
        before: Files of the older version by path, `METADATA` among them.
        after: Those of the newer one.
        programs: The repository's own programs by path.
        shown: Lines that the failure goes through.
        words: What the failure says.
        is_npm: Whether the package is npm's.
    """

    package: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    programs: Mapping[str, str]
    shown: frozenset[Place]
    words: str
    is_npm: bool = False


@dataclass(frozen=True, slots=True)
class _Use:
    place: Place
    given: CallArguments | None

    def names(self, parameter: CallParameter) -> bool:
        """Whether a call gives a parameter by its name."""
        return self.given is not None and parameter.name in self.given.names

    def places(self, parameter: CallParameter) -> bool:
        """Whether a call gives a parameter by its place, or may: unpacked arguments hide it."""
        if self.given is None or parameter.is_keyword:
            return False
        return self.given.starred or parameter.position < self.given.many

    def leaves_out(self, parameter: CallParameter) -> bool:
        """Whether a call certainly doesn't give a parameter."""
        if self.given is None or self.given.unpacked:
            return False
        return not self.names(parameter) and not self.places(parameter)

    def meets(self, kind: ApiChangeKind, parameter: CallParameter) -> bool:
        """Whether it matters here what became of a parameter."""
        match kind:
            case ApiChangeKind.DEFAULT | ApiChangeKind.REQUIRED:
                return self.leaves_out(parameter)
            case ApiChangeKind.KEYWORD_ONLY:
                return self.places(parameter)
            case ApiChangeKind.PARAMETER_RENAMED:
                return self.names(parameter)
            case _:
                return self.names(parameter) or self.places(parameter)


def top_modules(files: Mapping[str, str]) -> frozenset[str]:
    """Return the top modules of a distribution."""
    firsts = (PurePosixPath(path).parts[0].partition(".")[0] for path in files if is_program(path))
    return frozenset(first for first in firsts if first.isidentifier())


@dataclass(frozen=True, slots=True)
class ApiDifference:
    """What a release changed for a repository.

    Attributes:
        changes: What the failure goes through first.
        changelog: What the package's changelog says of the first of them that it names; "" for nothing.
    """

    changes: tuple[ApiChange, ...]
    changelog: str


def compare(question: ApiQuestion) -> ApiDifference:
    """Return what changed of that which a repository uses."""
    logging.disable(logging.WARNING)  # griffe tells what it can't resolve
    with tempfile.TemporaryDirectory(prefix="fixpoint-api-") as folder:
        read = _of_npm if question.is_npm else _of_python
        old, new, named = read(question, Path(folder))
        uses: dict[str, list[_Use]] = defaultdict(list)
        for path, each in named:
            uses[each.name].append(_Use((path, each.line), each.given))
        found = [*_of_names(old, new, uses), *_of_members(old, new, uses)]
    lacked = _LACKS.search(question.words)
    found = [
        replace(change, parameter=lacked["name"] if lacked is not None else "")
        if change.kind is ApiChangeKind.RETURNS
        else change
        for change in found
        if change.kind is not ApiChangeKind.RETURNS or _is_lacked(change, lacked)
    ]
    placed = {(change.kind, change.name, change.parameter): change for change in found}
    shown = [*_extras(question), *(_shown(change, question) for change in placed.values())]
    changes = tuple(sorted(shown, key=_rank)[:_MOST])
    return ApiDifference(changes, _changelog(question.after.get(CHANGELOG, ""), changes))


_Read = tuple[PackageApi, PackageApi, Iterator[tuple[str, Named | ScriptName]]]
"""Both versions, and where programs name something of them."""


def _of_python(question: ApiQuestion, folder: Path) -> _Read:
    modules = top_modules(question.before) | top_modules(question.after)
    old = PackageApi(folder / "before", question.before, modules)
    new = PackageApi(folder / "after", question.after, modules)
    named = (
        (path, each)
        for path, text in question.programs.items()
        if (tree := parsed(text.encode("utf-8", "replace"))) is not None
        for each in named_of(tree, modules)
    )
    return old, new, named


def _of_npm(question: ApiQuestion, _folder: Path) -> _Read:
    """Read what both versions declare, or else what the scripts of both export."""
    name = question.package
    both = [NodeApi(name, files, typed=True) for files in (question.before, question.after)]
    if not all(each.is_known for each in both):
        both = [NodeApi(name, files, typed=False) for files in (question.before, question.after)]
    named = (
        (path, each)
        for path, text in question.programs.items()
        if (syntax := parse(path, text.encode("utf-8", "replace"))) is not None
        for each in script_names(syntax.root, name)
    )
    return both[0], both[1], named


def _changelog(text: str, changes: Sequence[ApiChange]) -> str:
    """Return the entry of a changelog that names one of the first changes."""
    entries = re.split(r"\n(?=[ \t]*[-*] |[ \t]*\n)", text)
    for change in [change for change in changes if change.is_shown][:_CHANGELOG_NAMES]:
        name = re.compile(rf"\b{re.escape(change.parameter or change.name.rpartition('.')[2])}\b")
        found = next((entry for entry in entries if name.search(entry)), "")
        if found:
            return " ".join(found.split())[:_SAID]
    return ""


def _is_lacked(change: ApiChange, lacked: re.Match[str] | None) -> bool:
    """Whether the failure comes from what something returns now."""
    kind = change.after.partition("[")[0].rpartition(".")[2]
    return lacked is not None and lacked["type"].rpartition(".")[2] == kind


def _rank(change: ApiChange) -> tuple[bool, bool, str, int, str]:
    return (
        not change.is_shown,
        change.is_member,
        change.name,
        change.position,
        change.parameter,
    )


def _shown(change: ApiChange, question: ApiQuestion) -> ApiChange:
    """Return a change with its uses in order, and whether the failure goes through one or names it."""
    names = {change.name.rpartition(".")[2], change.parameter} - {""}
    said = any(re.search(rf"\b{re.escape(name)}\b", question.words) for name in names)
    ordered = sorted(set(change.uses), key=lambda place: (place not in question.shown, place))
    met = bool(question.shown & set(change.uses))
    is_shown = (said and met) if change.is_member else (said or met)
    return replace(change, uses=tuple(ordered[:_MOST_USES]), is_shown=is_shown)


def _extras(question: ApiQuestion) -> list[ApiChange]:
    """Return what only those get since who ask for it."""
    before, after = (
        set(_EXTRA.findall(files.get(METADATA, ""))) for files in (question.before, question.after)
    )
    said = {str(canonicalize_name(name)) for name in _ASKED_FOR.findall(question.words)}
    return [
        ApiChange(
            ApiChangeKind.EXTRA,
            question.package,
            parameter=extra,
            is_shown=str(canonicalize_name(extra)) in said,
        )
        for extra in sorted(after - before)
    ]


def _of_names(
    old: PackageApi, new: PackageApi, uses: Mapping[str, Sequence[_Use]]
) -> Iterator[ApiChange]:
    """Return how names that are imported changed."""
    for name, places in uses.items():
        if name.startswith(".") or (before := old.object(name)) is None:
            continue
        after = new.object(name)
        if after is None or (after.is_module and not before.is_module):
            if not new.may_have(name):
                yield _removed(name, before, old, new, places)
        else:
            yield from _differences(name, before, after, places)


def _of_members(
    old: PackageApi, new: PackageApi, uses: Mapping[str, Sequence[_Use]]
) -> Iterator[ApiChange]:
    """Return how the members of classes changed whose names are used."""
    for owner in old.classes():
        there = new.object(owner.path)
        for name, before in owner.members.items():
            places = uses.get(f".{name}")
            if isinstance(before, griffe.Alias) or not places or there is None:
                continue
            if name.startswith("__"):
                continue
            path = f"{owner.path}.{name}"
            after = member(there, name)
            if after is None:
                if not new.may_have(path):
                    yield _removed(path, before, old, new, places)
            else:
                yield from _differences(path, before, after, places)


def _removed(
    name: str, before: Item, old: PackageApi, new: PackageApi, uses: Sequence[_Use]
) -> ApiChange:
    """Return that a name is gone, with what may stand in its place."""
    parent, _, last = name.rpartition(".")
    told = _told(words(before))
    instead = [
        found["name"]
        for found in _INSTEAD.finditer(told)
        if (found["marked"] or "." in found["name"]) and found["name"] != last
    ]
    for wanted in old.names_for(name, before):
        instead += [path for path in new.named(wanted) if path != name][:_MOST_NAMES]
    known = old.functions(parent)
    fresh = [item for key, item in new.functions(parent).items() if key not in known]
    ranked = [(_likeness(before, item), item.path) for item in fresh]
    instead += [path for like, path in sorted(ranked, reverse=True) if like >= _ALIKE]
    return ApiChange(
        ApiChangeKind.REMOVED,
        name,
        signature(before),
        instead=tuple(dict.fromkeys(instead)),
        said=told[:_SAID],
        uses=tuple(use.place for use in uses),
    )


def _told(said: str) -> str:
    """Return the paragraph about being deprecated, in one line; "" where there is none."""
    paragraphs = re.split(r"\n[ \t]*\n", said)
    found = next((text for text in paragraphs if _DEPRECATED.search(text)), "")
    return " ".join(found.split())


def _likeness(before: Item, after: Item) -> float:
    if not before.is_function:
        return 0.0
    was, now = (body_of(item) for item in (before, after))
    return difflib.SequenceMatcher(None, was, now, autojunk=False).ratio() if was and now else 0.0


def _differences(name: str, before: Item, after: Item, uses: Sequence[_Use]) -> Iterator[ApiChange]:
    """Return how something changed that both versions have, as far as it is used so."""
    places = tuple(use.place for use in uses)
    if OPEN in before.labels | after.labels:
        return
    if before.is_class and after.is_class:
        made = [member(item, "__init__") for item in (before, after)]
        if made[0] is None or made[1] is None:
            return
        before, after = made[0], made[1]
    if before.is_attribute and after.is_function:
        bare = tuple(use.place for use in uses if use.given is None)
        if bare:
            yield ApiChange(ApiChangeKind.BECAME_METHOD, name, after=signature(after), uses=bare)
    elif before.is_function and after.is_attribute:
        called = tuple(use.place for use in uses if use.given is not None)
        if called:
            yield ApiChange(ApiChangeKind.BECAME_ATTRIBUTE, name, signature(before), uses=called)
    elif isinstance(before, griffe.Function) and isinstance(after, griffe.Function):
        yield from _of_parameters(name, before, after, uses)
        was, now = (str(item.returns or "") for item in (before, after))
        if now and was != now:
            yield ApiChange(ApiChangeKind.RETURNS, name, was, now, uses=places)


def _of_parameters(
    name: str, before: griffe.Function, after: griffe.Function, uses: Sequence[_Use]
) -> Iterator[ApiChange]:
    old, new = parameters(before), parameters(after)
    fresh = [parameter for key, parameter in new.items() if key not in old]
    for key, was in old.items():
        kind, instead = _change_of(was, new.get(key), fresh)
        if kind is None:
            continue
        met = tuple(use.place for use in uses if use.meets(kind, was))
        if met:
            was_so, is_so = signature(before), signature(after)
            if kind in {ApiChangeKind.DEFAULT, ApiChangeKind.REQUIRED}:
                was_so, is_so = was.default or "", new[key].default or ""
            position = -1 if was.is_keyword else was.position
            yield ApiChange(kind, name, was_so, is_so, key, position, instead, uses=met)


def _change_of(
    was: CallParameter, there: CallParameter | None, fresh: Sequence[CallParameter]
) -> tuple[ApiChangeKind | None, tuple[str, ...]]:
    """Return what became of a parameter, and its new name where it may have one."""
    if there is None:
        renamed = tuple(
            other.name
            for other in fresh
            if other.default == was.default and (other.position == was.position or len(fresh) == 1)
        )
        kind = ApiChangeKind.PARAMETER_RENAMED if renamed else ApiChangeKind.PARAMETER_REMOVED
        return kind, renamed
    if there.is_keyword and not was.is_keyword:
        return ApiChangeKind.KEYWORD_ONLY, ()
    if was.default is not None and there.default is None:
        return ApiChangeKind.REQUIRED, ()
    if was.default is not None and was.default != there.default:
        return ApiChangeKind.DEFAULT, ()
    return None, ()
