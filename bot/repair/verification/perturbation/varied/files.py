"""Write the files of failing tests so that these run on other inputs too, and read what they noted. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.code.languages import Language
from bot.code.syntax import language_of, parse
from bot.model import Observation
from bot.repair.harness.driver.protocol import WORN
from bot.repair.verification.generalisation import Record, Records
from bot.repair.verification.perturbation.guarded_conditions import (
    ObservedRun,
    Settled,
    ShownByTest,
)
from bot.repair.verification.perturbation.varied.javascript_tests import (
    found_tests,
    places_in,
    varied_file,
)
from bot.repair.verification.perturbation.varied.plan import Variant, variants
from bot.repair.verification.perturbation.varied.writing import FoundTest, Naming, VariedRun

_TESTS = 6
"""Tests that are varied."""

_SETTLED = 120
"""Runs with conditions settled."""

_SETTLINGS = 6
"""Conditions of one variant that are settled alone."""

AS_IT_IS = (Variant(), Variant(number=1))
"""Two runs of a test with its own values."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Which run of a test has a number.

    Attributes:
        test: Its id.
        variant: What is varied in it.
        settled: Conditions that are settled.
    """

    test: str
    variant: Variant
    settled: Settled = ()


@dataclass(frozen=True, slots=True)
class VariedFiles:
    """Test files that run tests on inputs near their own.

    Attributes:
        files: By path.
        runs: By number.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    runs: tuple[Noted, ...] = ()


def varied_files(
    sources: Mapping[str, bytes],
    names: Collection[str],
    naming: Naming,
    worn: bool,  # noqa: FBT001 - `apart` passes by position
) -> VariedFiles:
    """Return the files in which the tests of these ids run as they are, twice, and varied.

    Args:
        sources: Files that may hold them, by path.
        names: The tests' ids.
        naming: Names in the files.
        worn: Whether they also run behind many calls.
    """
    plan = {}
    for test in _tests(sources, names):
        last = [Variant(WORN)] if worn else []
        some = [*AS_IT_IS, *variants(places_in(test)), *last]
        plan[test.name] = [Noted(test.name, variant) for variant in some]
    return _written(sources, plan, naming)


def settled_files(
    sources: Mapping[str, bytes], varied: VariedFiles, shown: ShownByTest, naming: Naming
) -> VariedFiles:
    """Return the files in which variants run with conditions settled as they are in the tests.

    Args:
        sources: Files that may hold them, by path.
        varied: The files in which nothing was settled.
        shown: What these showed.
        naming: Names in the files.
    """
    return _written(sources, settled_plan(varied, shown), naming)


def settled_plan(varied: VariedFiles, shown: ShownByTest) -> dict[str, list[Noted]]:
    """Return by test which of its runs are repeated, each with the conditions that are settled in it."""
    plan: dict[str, list[Noted]] = {}
    left = _SETTLED
    for test, told in shown.items():
        known = {run.variant.label: run for run in varied.runs if run.test == test}
        for item in told:
            for settled in _settlings(told[0], item)[:left]:
                left -= 1
                plan.setdefault(test, []).append(replace(known[item.place], settled=settled))
    return plan


def _settlings(own: ObservedRun, shown: ObservedRun) -> list[Settled]:
    """Return which conditions are settled for a variant: all that come to something else, and each alone."""
    if shown.place == AS_IT_IS[1].label:
        return []
    differing = [
        (number, value)
        for number, values in shown.seen
        for value in dict(own.seen).get(number, ())
        if values != (value,)
    ]
    alone: list[Settled] = [(pair,) for pair in differing[:_SETTLINGS]]
    if shown.place == own.place or len(differing) < 2:  # noqa: PLR2004 - one alone is all of them
        return alone
    return [tuple(sorted(dict(differing).items())), *alone]


def _tests(sources: Mapping[str, bytes], names: Collection[str]) -> list[FoundTest]:
    found: dict[str, FoundTest] = {}
    for path, source in sources.items():
        syntax = parse(path, source)
        if syntax is not None and language_of(path) is Language.JAVASCRIPT:
            for test in found_tests(syntax, names):
                found.setdefault(test.name, test)
    return list(found.values())[:_TESTS]


def _written(
    sources: Mapping[str, bytes], plan: Mapping[str, Sequence[Noted]], naming: Naming
) -> VariedFiles:
    files: dict[str, bytes] = {}
    runs: list[Noted] = []
    for path, source in sources.items():
        syntax = parse(path, source)
        if syntax is None or language_of(path) is not Language.JAVASCRIPT:
            continue
        declared = []
        for test in found_tests(syntax, plan.keys() - {run.test for run in runs}):
            first = len(runs)
            runs += plan[test.name]
            some = [VariedRun(noted.variant, dict(noted.settled)) for noted in plan[test.name]]
            declared.append((test, list(enumerate(some, first))))
        if declared:
            files[path] = varied_file(source, syntax, declared, naming)
    return VariedFiles(files, tuple(runs))


def shown_by(noted: bytes | None, varied: VariedFiles) -> ShownByTest:
    """Return what runs of tests noted, by test and in the order of the plan."""
    lines = {line["number"]: line for line in _lines(noted or b"")}
    told: dict[str, list[ObservedRun]] = {}
    for number, run in enumerate(varied.runs):
        if number in lines:
            told.setdefault(run.test, []).append(_shown(lines[number], run))
    return told


def _lines(noted: bytes) -> Iterator[dict[str, object]]:
    for line in noted.splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict) and isinstance(one.get("number"), int):
            yield one


def _shown(line: Mapping[str, object], run: Noted) -> ObservedRun:
    seen = line.get("seen")
    values = seen.items() if isinstance(seen, dict) else ()
    return ObservedRun(
        run.variant.label,
        json.dumps(line.get("in", run.variant.written)),
        _texts(line.get("out")),
        {},
        run.variant.is_common,
        tuple((int(number), _texts(some)) for number, some in values),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def with_settled(shown: ShownByTest, noted: bytes | None, settled: VariedFiles) -> ShownByTest:
    """Return what runs showed, with what the same ones show where conditions are settled.

    Of several conditions that are settled together only those stay that make the same difference.
    """
    found: dict[tuple[str, str], dict[Settled, tuple[str, ...]]] = {}
    lines = {line["number"]: line for line in _lines(noted or b"")}
    for number, run in enumerate(settled.runs):
        if number in lines:
            outputs = _texts(lines[number].get("out"))
            found.setdefault((run.test, run.variant.label), {})[run.settled] = outputs
    return {
        test: [
            replace(item, settled=_fewest(item, found.get((test, item.place), {}))) for item in told
        ]
        for test, told in shown.items()
    }


def _fewest(
    shown: ObservedRun, settled: Mapping[Settled, tuple[str, ...]]
) -> dict[Settled, tuple[str, ...]]:
    if shown.place == AS_IT_IS[0].label:
        return dict(settled)
    alone_too = [pair[0][0] for pair in settled if len(pair) == 1]
    if len(set(alone_too)) < len(
        alone_too
    ):  # of a table's rows some decide one way, some the other
        return {
            pair: said for pair, said in settled.items() if len(pair) == 1 and said != shown.outputs
        }
    together: Settled = max(settled, key=len, default=())
    outputs = settled.get(together, shown.outputs)
    if outputs == shown.outputs:
        return {}
    alone = [pair for pair in settled if len(pair) == 1 and settled[pair] == outputs]
    # an operand rather than the whole that it lies in, and a decision rather than what it looks up
    deciding = [pair for pair in alone if pair[0][1] in {"true", "false"}]
    return {[together, *alone[:1], *deciding][-1]: outputs}


def comparable(before: ShownByTest, after: ShownByTest) -> tuple[ShownByTest, ShownByTest]:
    """Return what both trees show, without what differs by chance: time, numbers of objects, timers.

    That is what comes out of a test as it is, twice, in two ways, without the patch.
    """
    old, new = dict(before), dict(after)
    for test, told in before.items():
        twice = [shown.outputs for shown in told if shown.place in {own.label for own in AS_IT_IS}]
        if len(twice) == len(AS_IT_IS) and len(twice[0]) == len(twice[1]):
            by_chance = {n for n, pair in enumerate(zip(*twice, strict=True)) if len(set(pair)) > 1}
            old[test] = [_without(shown, by_chance) for shown in told]
            new[test] = [_without(shown, by_chance) for shown in after.get(test, ())]
    return old, new


def _without(shown: ObservedRun, columns: Collection[int]) -> ObservedRun:
    def kept(outputs: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(output for n, output in enumerate(outputs) if n not in columns)

    settled = {key: kept(outputs) for key, outputs in shown.settled.items()}
    return replace(shown, outputs=kept(shown.outputs), settled=settled)


def records_of(before: ShownByTest, after: ShownByTest) -> tuple[Records, Records]:
    """Return what both trees show of the same runs, to be compared; many calls alone with the patch."""
    old: dict[str, list[Record]] = {}
    new: dict[str, list[Record]] = {}
    for test, told in after.items():
        was = {shown.place: shown.record for shown in before.get(test, ())}
        usual = [shown for shown in told if shown.place in was and shown.value != WORN]
        old[test] = [was[shown.place] for shown in usual]
        new[test] = [shown.record for shown in (*usual, *(o for o in told if o.value == WORN))]
    return old, new


def turned_green(red: Observation, green: Observation) -> frozenset[str]:
    """Return the ids of the tests that failed without a patch and pass with it."""
    failed = frozenset(failure.test for failure in red.named)
    return failed & green.passed if green.passed else failed
