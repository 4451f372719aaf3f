"""Edits that may keep a flaky test from depending on what decides now, the plainest first. Pure."""

from __future__ import annotations

import ast
import contextlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.code.files import is_test_file
from bot.model.flaky import FlakyClass, FlakyGoal, LeftState
from bot.repair.proposers.flaky.clock_edits import clocks
from bot.repair.proposers.flaky.placing import (
    NamespaceIn,
    cleaned_first,
    made_anew,
    made_for_each,
    placed,
    returns_always,
    without_refusal,
)
from bot.repair.proposers.flaky.restorations import (
    SAVED,
    Restoration,
    of_files,
    of_zone,
    presets,
    restorations,
)
from bot.repair.proposers.flaky.test_edits import (
    TestEdit,
    compared_as_set,
    on_free_port,
    sorted_folders,
    waiting_for_it,
    waiting_longer,
)
from bot.repair.proposers.flaky.test_source import (
    TestFunction,
    again,
    function_at,
    function_of,
    functions,
    module_file,
    sets_up,
)
from bot.reporting.reasons import flaky_edits as reasons

MOST = 24
"""Candidates of one cause."""

_IN_PROGRAM = frozenset({FlakyClass.TIME, FlakyClass.ENVIRONMENT})
"""What the program asks the machine for, wherever it does."""

_MOST_FILES = 60


@dataclass(frozen=True, slots=True)
class FlakyEdit:
    """A candidate.

    Attributes:
        says: What is different with it, as a sentence.
        texts: The changed files, by path.
    """

    says: str
    texts: Mapping[str, str]


def files_needed(goal: FlakyGoal, paths: frozenset[str]) -> tuple[str, ...]:
    """Return the files in which a repair may lie, of those that the work tree has."""
    cause = goal.cause
    tests = (goal.test, *cause.others, *cause.also)
    wanted = [test.partition("::")[0] for test in tests if "::" in test]
    wanted += [state.file for state in cause.state if state.file]
    named = [test for test in tests if "::" not in test]
    named += [state.name.partition("(")[0] for state in cause.state]
    wanted += [found[1] for name in named if (found := module_file(name, paths)) is not None]
    wanted += [path for path in paths if path.rpartition("/")[2] == "conftest.py"]
    if cause.flaky_class in _IN_PROGRAM:
        wanted += [cause.file, *sorted(path for path in paths if _is_program(path))[:_MOST_FILES]]
    return tuple(dict.fromkeys(path for path in wanted if path in paths))


def _is_program(path: str) -> bool:
    return path.endswith(".py") and not is_test_file(path)


def candidates(
    goal: FlakyGoal, texts: Mapping[str, str], paths: frozenset[str], moment: str = ""
) -> tuple[FlakyEdit, ...]:
    """Return edits that may mend a test, the plainest first.

    Args:
        goal: The test, and what decides.
        texts: The files that `files_needed` names.
        paths: All of the work tree.
        moment: When the test is known to pass, as ISO 8601 has it, where its cause names no other.
    """
    made = EditMaking(goal, dict(texts), paths, moment).made()
    different: dict[tuple[tuple[str, str], ...], FlakyEdit] = {}
    for edit in itertools.islice(made, MOST):
        different.setdefault(tuple(sorted(edit.texts.items())), edit)
    return tuple(different.values())


class EditMaking:
    """Makes the edits for one goal."""

    def __init__(
        self, goal: FlakyGoal, texts: dict[str, str], paths: frozenset[str], moment: str
    ) -> None:
        self._goal = goal
        self._cause = goal.cause
        self._texts = texts
        self._paths = paths
        self._moment = moment

    def made(self) -> Iterator[FlakyEdit]:
        """Yield them."""
        match self._cause.flaky_class:
            case FlakyClass.VICTIM | FlakyClass.NON_IDEMPOTENT:
                yield from self._of_product()
                yield from self._around_polluter()
                yield from self._of_fixtures()
                yield from self._before_test([(each, each.before) for each in self._cause.state])
            case FlakyClass.BRITTLE:
                yield from self._of_missing_items()
                yield from self._before_test([(each, each.after) for each in self._cause.state])
                yield from self._of_fixtures()
            case FlakyClass.SEED:
                yield from self._seeded()
                yield from self._in_test(compared_as_set)
            case FlakyClass.TIME:
                yield from self._in_zone()
                yield from self._with_clock()
            case FlakyClass.ENVIRONMENT:
                yield from self._sorted_folders()
            case FlakyClass.CONCURRENCY | FlakyClass.NETWORK | FlakyClass.RESOURCE:
                for edits in (on_free_port, waiting_for_it, waiting_longer):
                    yield from self._in_test(edits)
            case _:
                return

    def _in_test(self, edits: Callable[[TestFunction], Iterator[TestEdit]]) -> Iterator[FlakyEdit]:
        """Yield edits inside the test."""
        test = function_of(self._goal.test, self._texts)
        if test is not None:
            for edit in edits(test):
                yield FlakyEdit(edit.says, {test.path: edit.text})

    def _with_clock(self) -> Iterator[FlakyEdit]:
        """Yield the edits by which a test has a clock that says when it passes."""
        test = function_of(self._goal.test, self._texts)
        told = re.search(r"faketime '([^']+)'", self._cause.contrast)
        moment = told[1] if told else self._moment
        if test is None or not moment:
            return
        for stopped in clocks(test, self._texts, datetime.fromisoformat(moment)):
            yield from self._applied([test], [(stopped,)])

    def _sorted_folders(self) -> Iterator[FlakyEdit]:
        """Yield the edits by which what lists folders sorts them, in the program first."""
        for path in sorted(self._texts, key=is_test_file):
            for name, text in sorted_folders(self._texts[path]):
                yield FlakyEdit(reasons.sorts_folder(name), {path: text})

    def _of_product(self) -> Iterator[FlakyEdit]:
        """Yield repairs of the program where that is what leaks."""
        for state in self._cause.state:
            place, _, parameter = state.name.rstrip(")").partition("(")
            found = module_file(place, self._texts) if parameter else None
            text = made_anew(self._texts[found[1]], found[2], parameter) if found else None
            if found is not None and text is not None:
                said = reasons.makes_new_default(".".join(found[2]), parameter)
                yield FlakyEdit(said, {found[1]: text})
            leaves = function_at(state.file, state.line, self._texts)
            if state.kind == "working directory" and leaves and not is_test_file(leaves.path):
                back = returns_always(leaves)
                if back is not None:
                    yield FlakyEdit(reasons.returns_always(leaves.node.name), {leaves.path: back})

    def _around_polluter(self) -> Iterator[FlakyEdit]:
        """Yield edits by which what leaves something behind puts it back itself."""
        names = self._cause.others or (self._goal.test,)
        for chosen in dict.fromkeys([(*names, *self._cause.also), names]):
            for places in self._places(chosen):
                yield from self._restoring(places)

    def _places(self, tests: Sequence[str]) -> Iterator[list[TestFunction]]:
        """Yield the functions that may put it back: what sets it in a test file, then the tests."""
        changed = [
            function_at(state.file, state.line, self._texts)
            for state in self._cause.state
            if state.file and is_test_file(state.file)
        ]
        setting = [each for each in changed if each is not None and sets_up(each)]
        if setting:
            yield _once(setting)
        found = [function_of(test, self._texts) for test in tests]
        yield _once([each for each in found if each is not None])

    def _restoring(self, places: Sequence[TestFunction]) -> Iterator[FlakyEdit]:
        """Yield edits in which each place keeps all of the state, in one way after another."""
        ways = [self._ways(place) for place in places]
        for n in range(max(map(len, ways), default=0)):
            chosen = [way[min(n, len(way) - 1)] if way else () for way in ways]
            yield from self._applied(places, chosen)

    def _ways(self, place: TestFunction) -> list[tuple[Restoration, ...]]:
        """Return the ways in which a place may keep all parts of the state; none where one has none."""
        found = [self._of_state(place, state) for state in self._cause.state]
        if not found or not all(found):
            return []
        longest = max(map(len, found))
        return [tuple(each[min(n, len(each) - 1)] for each in found) for n in range(longest)]

    def _of_state(self, place: TestFunction, state: LeftState) -> tuple[Restoration, ...]:
        if state.kind == "files":
            root = f"pathlib.Path(__file__).resolve().parents[{place.path.count('/')}]"
            return (of_files(state.name.split(", "), root),)
        return restorations(state, NamespaceIn(place, self._paths))

    def _before_test(self, values: Sequence[tuple[LeftState, str]]) -> Iterator[FlakyEdit]:
        """Yield edits by which the test sets what it reads itself."""
        test = function_of(self._goal.test, self._texts)
        if test is None:
            return
        namespace_of = NamespaceIn(test, self._paths)
        found = [presets(state, namespace_of, value) for state, value in values]
        if found and all(found):
            yield from self._applied([test], [tuple(each[0] for each in found)])

    def _of_missing_items(self) -> Iterator[FlakyEdit]:
        """Yield the edit by which a test may delete what is not there, where that is how it fails."""
        test = function_of(self._goal.test, self._texts)
        if test is None or not self._cause.message.startswith("KeyError"):
            return
        text = without_refusal(test)
        if text is not None:
            yield FlakyEdit(reasons.deletes_anyway(test.node.name), {test.path: text})

    def _of_fixtures(self) -> Iterator[FlakyEdit]:
        """Yield edits of what sets tests up: made anew for each, or cleaned before as well as after."""
        names = {
            name
            for state in self._cause.state
            if state.kind == "fixtures"
            for name in state.name.split(", ")
        }
        names |= (
            {"setUpClass"} if any(s.kind == "class attribute" for s in self._cause.state) else set()
        )
        test = function_of(self._goal.test, self._texts)
        for path, text in self._texts.items():
            for each in functions(path, text):
                owned = each.owner is None or (
                    test and test.owner and each.owner.name == test.owner.name
                )
                if each.node.name in names and owned:
                    narrow = made_for_each(each)
                    if narrow is not None:
                        yield FlakyEdit(reasons.set_up_for_each(each.node.name), {path: narrow})
        for each in self._used_fixtures(test):
            for cleaned in cleaned_first(each):
                yield FlakyEdit(reasons.cleans_up_first(each.node.name), {each.path: cleaned})

    def _used_fixtures(self, test: TestFunction | None) -> Iterator[TestFunction]:
        if test is None:
            return
        used = {each.arg for each in test.node.args.args}
        marks = " ".join(map(ast.unparse, test.node.decorator_list))
        for path, text in self._texts.items():
            for each in functions(path, text):
                if each.is_fixture and (
                    each.node.name in used
                    or repr(each.node.name) in marks
                    or any("autouse=True" in ast.unparse(item) for item in each.node.decorator_list)
                ):
                    yield each

    def _seeded(self) -> Iterator[FlakyEdit]:
        """Yield the edit by which a test has the random numbers with which it passes."""
        test = function_of(self._goal.test, self._texts)
        seed = re.search(r"random\.seed\((\d+)\)", self._cause.contrast)
        if test is None or seed is None:
            return
        said = reasons.sets_seed(int(seed[1]))
        kept = Restoration(
            said, ("random",), "random.getstate()", (("random.setstate", SAVED),),
            (f"random.seed({seed[1]})",),
        )  # fmt: skip
        yield from self._applied([test], [(kept,)])

    def _in_zone(self) -> Iterator[FlakyEdit]:
        """Yield the edit by which a test has the time zone in which it passes."""
        test = function_of(self._goal.test, self._texts)
        if test is not None and re.fullmatch(r"TZ=\S+", self._cause.changed):
            yield from self._applied([test], [(of_zone("UTC"),)])

    def _applied(
        self, places: Sequence[TestFunction], ways: Sequence[Sequence[Restoration]]
    ) -> Iterator[FlakyEdit]:
        """Yield the edits that put restorations into functions, in the way of the project's tests."""
        for by_monkeypatch in (True, False):
            texts: dict[str, str] = {}
            for place, restored in zip(places, ways, strict=True):
                here = again(place, texts.get(place.path, place.text))
                text = None
                if here is not None and restored:
                    with contextlib.suppress(SyntaxError):  # a text that mixes tabs and spaces, say
                        text = placed(here, restored, by_monkeypatch=by_monkeypatch)
                if text is None:
                    break
                texts[place.path] = text
            else:
                said = dict.fromkeys(way.says for restored in ways for way in restored)
                names = [place.node.name for place in places]
                yield FlakyEdit(reasons.functions_do(names, [*said]), texts)


def _once(found: Sequence[TestFunction]) -> list[TestFunction]:
    """Return functions, each once: by cases, a test has several ids."""
    return list({(each.path, each.node.lineno): each for each in found}.values())
