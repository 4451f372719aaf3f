"""Look for the commit that broke it, along the first parents of the head."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.errors import BudgetExhausted
from bot.model.culprit import (
    Certainty,
    ChangeEvent,
    Culprit,
    EventKind,
    RunCounts,
    TestedState,
    WhatChanged,
)
from bot.model.progress import Noticed
from bot.repair.culprit.bisection import (
    Answer,
    Boundary,
    FromStart,
    SeenRuns,
    StateLine,
    StateRun,
    about_steps,
    next_question,
    so_far,
)
from bot.repair.culprit.commit_parts import deciding_lines
from bot.repair.culprit.explained_failure import LookCutShort, Looking
from bot.repair.culprit.older_commits import UNNAMED, States
from bot.reporting.reasons import culprit as reasons
from sandbox.git import ObjectStore

_MOST_COMMITS = 4096
"""That are looked back over: twelve steps reach the oldest."""

_PROOF_RUNS = 20
"""With which a steady test proves both sides, once these are known."""

_RED_RUNS = 2
"""With which a reproduction has seen the failing tests at the head."""


async def look_at_commits(looking: Looking) -> WhatChanged:
    """Return the commits that explain the failing tests, and what was seen on the way."""
    store, head = looking.context.source.store, looking.context.source.head
    line = await store.line(head, _MOST_COMMITS)
    if len(line) < 2:  # noqa: PLR2004 - a commit and one before it
        return WhatChanged(ruled_out=(reasons.NO_HISTORY,))
    green = await _known_green(looking, line)
    walk = Walk(line, looking.unexplained or (UNNAMED,), green)
    walk.add_red(head, _reds(looking))
    states = States(looking)
    ended = ""
    inner: dict[str, Walk] = {}
    async with looking.closing(states.close):
        try:
            await _walked(looking, states, walk)
            inner = await _inside_merges(looking, states, walk)
        except BudgetExhausted as end:
            ended = str(end)
        found = await _concluded(looking, walk, inner, ended)
        if ended:
            raise LookCutShort(found)
        return await _with_lines(looking, states, found)


async def _with_lines(looking: Looking, states: States, found: WhatChanged) -> WhatChanged:
    """Return the culprits with the lines that decide.

    Raises:
        LookCutShort: When the time is up; it has those of the first culprits.
    """
    store, culprits = looking.context.source.store, list(found.culprits)
    for n, culprit in enumerate(culprits):
        event, tests = culprit.event, frozenset(culprit.tests or (UNNAMED,))
        looking.run.listener(Noticed(reasons.deciding(event.name)))
        try:
            lines = await deciding_lines(store, states, event.before, event.after, tests)
        except BudgetExhausted as end:
            raise LookCutShort(replace(found, culprits=tuple(culprits))) from end
        culprits[n] = replace(culprit, lines=lines)
    return replace(found, culprits=tuple(culprits))


def _reds(looking: Looking) -> RunCounts:
    """Return how often each failing test is known to have failed at the head, and to have passed there.

    Where several fail, only the run that is shown names them; in the others, some may have passed.
    """
    seen = looking.run.known.reproduction
    if looking.question.job or len(looking.unexplained) > 1:
        return RunCounts(1)
    runs = seen.runs if seen is not None else ()
    failed = sum(code != 0 for code in runs)
    return RunCounts(failed, len(runs) - failed) if runs else RunCounts(_RED_RUNS)


async def _known_green(looking: Looking, line: tuple[str, ...]) -> int | None:
    """Return the place from which the walk starts: where somebody says so, else where a change began."""
    store, source = looking.context.source.store, looking.context.source
    if looking.question.good:
        parted = await store.parted(source.head, looking.question.good)
        return line.index(parted) if parted in line else None
    if source.trusted != source.head and source.trusted in line:
        return line.index(source.trusted)
    return None


class Walk(SeenRuns[int]):
    """A line of commits, and what was seen of each failing test at the places on it.

    Attributes:
        line: From old to new.
        good: Place that is said to be green.
    """

    def __init__(self, line: tuple[str, ...], tests: tuple[str, ...], good: int | None) -> None:
        super().__init__(tests)
        self.line = line
        self.good = good

    def add_red(self, commit: str, runs: RunCounts) -> None:
        """Add what the reproduction saw."""
        place = self.line.index(commit)
        for test in self.tests:
            self.seen[test] = {place: runs}

    def line_of(self, test: str) -> StateLine:
        """Return what is known of one test."""
        skipped = frozenset(self.why[test])
        return StateLine(len(self.line), self.seen[test], skipped, self.good)

    def answers(self) -> list[tuple[tuple[str, ...], Answer]]:
        """Return for each group what to do next, or what the walk came to."""
        return [(tests, next_question(self.line_of(tests[0]))) for tests in self.groups()]

    def next_run(self) -> tuple[StateLine, StateRun] | None:
        """Return where to run the tests next, with what is known of those that ask; None when all is told."""
        for tests, question in self.answers():
            if isinstance(question, StateRun):
                return self.line_of(tests[0]), question
        return None


async def _walked(looking: Looking, states: States, walk: Walk) -> None:
    """Run the failing tests at one commit after the other until every test has its answer."""
    steps, about = 0, most_steps(len(walk.line), walk.good)
    while (asked := walk.next_run()) is not None:
        line, question = asked
        steps += 1
        if any(runs.passed for runs in line.seen.values()):  # until then, it goes back
            about = min(about, steps + about_steps(line) + _PROOF_RUNS)
        about = max(steps, about)
        commit = walk.line[question.place]
        subject, _, _ = await looking.context.source.store.described(commit)
        said = reasons.step(steps, about, commit, subject)
        looking.run.listener(Noticed(said))
        walk.add(question.place, await states.run(commit))


def most_steps(length: int, good: int | None) -> int:
    """Return how many looks a walk takes at most, about: back, where nothing is said to be green, and in between."""
    halves = math.ceil(math.log2(max(2, length)))
    return halves * (1 if good is not None else 2) + _PROOF_RUNS


async def _inside_merges(looking: Looking, states: States, walk: Walk) -> dict[str, Walk]:
    """Return for the tests that a merge broke, by their first, the walk through what it brought."""
    found: dict[str, Walk] = {}
    for tests, answer in walk.answers():
        if not isinstance(answer, Boundary) or not answer.is_sure:
            continue
        merge = walk.line[answer.red]
        brought = await looking.context.source.store.merged(merge)
        if not brought:
            continue
        found[tests[0]] = inside = Walk((*brought, merge), tests, good=0)
        inside.add_red(merge, walk.seen[tests[0]][answer.red])
        await _walked(looking, states, inside)
    return found


async def _concluded(
    looking: Looking, walk: Walk, inner: Mapping[str, Walk], ended: str
) -> WhatChanged:
    store = looking.context.source.store
    culprits: dict[str, Culprit] = {}
    ruled_out: list[str] = [reasons.ended_early(ended)] if ended else []
    for tests, answer in walk.answers():
        match answer:
            case Boundary():
                for part in _parts(walk, inner.get(tests[0]), tests, answer):
                    found = await _culprit(store, *part)
                    same = culprits.get(found.event.name)
                    culprits[found.event.name] = _joined(same, found) if same else found
            case FromStart(oldest):
                ruled_out.append(await _from_start(store, walk, tests, oldest))
            case StateRun():
                left = so_far(walk.line_of(tests[0]))
                if left is not None:
                    found = await _culprit(store, walk, tests, left)
                    culprits[found.event.name] = found
                elif (red := oldest_red(walk, tests[0])) is not None:
                    commit = walk.line[red]
                    _, _, date = await store.described(commit)
                    ruled_out.append(reasons.still_fails(len(tests), commit, date))
    return WhatChanged(tuple(culprits.values()), tuple(dict.fromkeys(ruled_out)), points_of(walk))


def _joined(first: Culprit, second: Culprit) -> Culprit:
    """Return one culprit of two groups of tests; it is as sure as the less sure of them."""
    unsure = first if first.certainty is Certainty.LIKELY else second
    return Culprit(
        first.event,
        unsure.certainty,
        tuple(sorted((*first.tests, *second.tests))),
        unsure.with_it,
        unsure.without_it,
        unsure.missing,
    )


def _parts(
    walk: Walk, inside: Walk | None, tests: tuple[str, ...], found: Boundary
) -> list[tuple[Walk, tuple[str, ...], Boundary]]:
    """Return the walk that names a commit: of a branch, where one was merged and that one is sure."""
    if inside is None:
        return [(walk, tests, found)]
    return [
        (inside, group, answer)
        if isinstance(answer, Boundary) and answer.is_sure
        else (walk, group, found)
        for group, answer in inside.answers()
    ]


async def _culprit(
    store: ObjectStore, walk: Walk, tests: tuple[str, ...], found: Boundary
) -> Culprit:
    seen = walk.seen[tests[0]]
    missing = ""
    between = set(range(found.green + 1, found.red))
    if between:
        missing = _untold(walk, tests[0], between)
    elif not found.is_sure:
        missing = reasons.RUNS_DISAGREE
    return Culprit(
        await event_of(store, walk.line[found.green], walk.line[found.red]),
        Certainty.LIKELY if missing else Certainty.PROVEN,
        tuple(test for test in tests if test != UNNAMED),
        seen[found.red],
        seen[found.green],
        missing,
    )


def _untold(walk: Walk, test: str, between: set[int]) -> str:
    """Return why it is not known which commit of several broke a test."""
    lost, commits = walk.why[test], len(between) + 1
    if between <= set(lost):
        return reasons.between(commits, lost[max(between)])
    return reasons.undecided(commits, tested=bool(between & set(walk.seen[test])))


async def event_of(store: ObjectStore, before: str, commit: str) -> ChangeEvent:
    """Return a commit as what happened."""
    title, author, date = await store.described(commit)
    return ChangeEvent(EventKind.COMMIT, commit, before, commit, title, author, date)


async def _from_start(store: ObjectStore, walk: Walk, tests: tuple[str, ...], oldest: int) -> str:
    commit = walk.line[oldest]
    _, _, date = await store.described(commit)
    older = [why for place, why in sorted(walk.why[tests[0]].items()) if place < oldest]
    return reasons.from_start(len(tests), commit, date, older[-1] if older else "")


def oldest_red(walk: Walk, test: str) -> int | None:
    """Return the oldest place before the head at which a test failed each time; None for none."""
    head = len(walk.line) - 1
    reds = (at for at, runs in walk.seen[test].items() if runs.failed and not runs.passed)
    return min((at for at in reds if at < head), default=None)


def points_of(walk: Walk) -> tuple[TestedState, ...]:
    """Return the commits that were looked at, each with what was seen of the test that failed most."""
    places = {place for test in walk.tests for place in (*walk.seen[test], *walk.why[test])}
    return tuple(_point(walk, place, walk.tests) for place in sorted(places))


def _point(walk: Walk, place: int, tests: Iterable[str]) -> TestedState:
    runs = [walk.seen[test][place] for test in tests if place in walk.seen[test]]
    most = max(runs, key=lambda each: each.failed, default=RunCounts())
    why = "" if runs else _first(walk.why, place)
    return TestedState(walk.line[place], place, most, why)


def _first(why: Mapping[str, Mapping[int, str]], place: int) -> str:
    return next((told[place] for told in why.values() if place in told), "")
