"""Write files in Go and Rust so that failing tests run on other inputs too, and drop what does not compile. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.code.languages import Language
from bot.code.syntax import Syntax, language_of, parse
from bot.repair.harness.driver.protocol import WORN
from bot.repair.verification.perturbation.guarded_conditions import ShownByTest
from bot.repair.verification.perturbation.varied import go_tests, rust_tests
from bot.repair.verification.perturbation.varied.files import (
    AS_IT_IS,
    Noted,
    VariedFiles,
    settled_plan,
)
from bot.repair.verification.perturbation.varied.plan import Variant, variants
from bot.repair.verification.perturbation.varied.values import ValuePlace
from bot.repair.verification.perturbation.varied.writing import (
    FoundTest,
    Naming,
    Numbered,
    VariedRun,
)

_TESTS = 4
"""Tests that are varied."""

_MOST = 40
"""Variants of a test."""

_FEW = 12
_BYTES = 160_000
"""Of all copies of a test, unless these are few."""

_LARGE = 100_000
"""Numbers from which a loop takes long; smaller ones get no variant beyond."""

_GO_ERROR = re.compile(r"^(?:\S*?: )?([^\s:]+\.go):(\d+):\d+: ", re.MULTILINE)
_RUST_ERROR = re.compile(r"^[ \t]*--> ([^\s:]+\.rs):(\d+):\d+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Writer:
    """How tests of a language are found and written."""

    found: Callable[[str, Syntax, Collection[str]], list[FoundTest]]
    places: Callable[[FoundTest], list[ValuePlace]]
    written: Callable[
        [str, bytes, Syntax, Sequence[tuple[FoundTest, Sequence[Numbered]]], Naming],
        dict[str, bytes],
    ]


_WRITERS = {
    Language.GO: _Writer(go_tests.found_tests, go_tests.places_in, go_tests.varied_files),
    Language.RUST: _Writer(rust_tests.found_tests, rust_tests.places_in, rust_tests.varied_files),
}


def is_compiled(path: str) -> bool:
    """Whether tests in a file are varied by compiling it anew."""
    return language_of(path) in _WRITERS


def compiled_files(
    sources: Mapping[str, bytes],
    names: Collection[str],
    said: str,
    naming: Naming,
    dropped: Collection[Noted] = (),
) -> VariedFiles:
    """Return the files in which the tests of these ids run as they are, twice, varied, and many times.

    Args:
        sources: Files that may hold them, by path.
        names: The tests' ids.
        said: By their failures: values that these name are varied first.
        naming: Names in the files.
        dropped: Runs that can't be compiled.
    """
    files: dict[str, bytes] = {}
    runs: list[Noted] = []
    known: set[str] = set()
    for path, source in sources.items():
        writer, syntax = _WRITERS.get(language_of(path) or Language.PYTHON), parse(path, source)
        if writer is None or syntax is None:
            continue
        declared = []
        for test in writer.found(path, syntax, names):
            if test.name not in known and len(known) < _TESTS:
                known.add(test.name)
                whole = _plan(test, writer.places(test), said, worn=not naming.is_shared)
                some = [noted for noted in whole if noted not in dropped]
                declared.append(
                    (
                        test,
                        [(n, VariedRun(noted.variant)) for n, noted in enumerate(some, len(runs))],
                    )
                )
                runs += some
        if declared:
            files |= writer.written(path, source, syntax, declared, naming)
    return VariedFiles(files, tuple(runs))


def settled_programs(
    sources: Mapping[str, bytes], varied: VariedFiles, shown: ShownByTest, naming: Naming
) -> VariedFiles:
    """Return the files in which variants run with conditions settled as they are in the tests.

    Args:
        sources: Files that hold the tests, by path.
        varied: The files in which nothing was settled.
        shown: What these showed.
        naming: Names in the files.
    """
    plan = settled_plan(varied, shown)
    files = {path: data for path, data in varied.files.items() if path not in sources}
    runs: list[Noted] = []
    for path in varied.files.keys() & sources.keys():
        writer, syntax = (
            _WRITERS.get(language_of(path) or Language.PYTHON),
            parse(path, sources[path]),
        )
        if writer is None or syntax is None:
            continue
        declared = []
        for test in writer.found(path, syntax, plan.keys()):
            some = plan.pop(test.name, [])
            numbered = enumerate(some, len(runs))
            declared.append(
                (
                    test,
                    [(n, VariedRun(noted.variant, dict(noted.settled))) for n, noted in numbered],
                )
            )
            runs += some
        files |= writer.written(path, sources[path], syntax, declared, naming)
    return replace(varied, files=files, runs=tuple(runs))


def with_seen(shown: ShownByTest, noted: bytes, varied: VariedFiles) -> ShownByTest:
    """Return what runs showed, with what conditions of the program came to in each."""
    seen: dict[int, dict[int, list[str]]] = {}
    for line in noted.splitlines():
        try:
            match json.loads(line):
                case {"of": int(run), "asked": [int(number), str(value)]}:
                    seen.setdefault(run, {}).setdefault(number, []).append(value)
                case _:
                    pass
        except ValueError:
            continue
    by_run = {
        (entry.test, entry.variant.label): seen.get(number, {})
        for number, entry in enumerate(varied.runs)
    }
    return {
        test: [
            replace(
                item,
                seen=tuple(
                    (number, tuple(values))
                    for number, values in sorted(by_run[test, item.place].items())
                ),
            )
            for item in told
        ]
        for test, told in shown.items()
    }


def for_other_tree(
    varied: VariedFiles, here: Mapping[str, bytes], there: Mapping[str, bytes], naming: Naming
) -> VariedFiles:
    """Return the files in which the same runs stand on another tree, where programs hold their tests.

    Args:
        varied: Of one tree.
        here: What that was made from.
        there: The same files on the other tree.
        naming: Names in the files.
    """
    files = {path: data for path, data in varied.files.items() if path not in here}
    names = {run.test for run in varied.runs}
    for path in varied.files.keys() & here.keys() & there.keys():
        writer, old, new = (
            _WRITERS.get(language_of(path) or Language.PYTHON),
            parse(path, there[path]),
            parse(path, here[path]),
        )
        if here[path] == there[path]:
            files[path] = varied.files[path]
        elif writer is not None and old is not None and new is not None:
            tests = {found_test.name: found_test for found_test in writer.found(path, new, names)}
            declared = [
                (test, _moved(test, tests[test.name], varied.runs, here[path], there[path]))
                for test in writer.found(path, old, names)
                if test.name in tests
            ]
            files |= writer.written(path, there[path], old, declared, naming)
    return replace(varied, files=files)


def _moved(
    test: FoundTest, original: FoundTest, runs: Sequence[Noted], here: bytes, there: bytes
) -> list[Numbered]:
    """Return a test's runs where it begins elsewhere in its file; those that fit there."""
    by = test.function.start_byte - original.function.start_byte
    found = []
    for number, run in enumerate(runs):
        places = run.variant.replaced
        fits = all(here[a:b] == there[a + by : b + by] for a, b in places)
        if run.test == test.name and fits:
            moved = {(a + by, b + by): text for (a, b), text in places.items()}
            found.append((number, VariedRun(replace(run.variant, replaced=moved))))
    return found


def _plan(test: FoundTest, places: Sequence[ValuePlace], said: str, *, worn: bool) -> list[Noted]:
    size = test.function.end_byte - test.function.start_byte
    most = max(_FEW, min(_MOST, _BYTES // size))
    nearby = variants(places, list(_named(test, places, said)), most)
    kept = [variant for variant in nearby if _is_sound(variant, places)]
    last = [Variant(WORN)] if worn else []
    return [Noted(test.name, variant) for variant in (*AS_IT_IS, *kept, *last)]


def _named(test: FoundTest, places: Sequence[ValuePlace], said: str) -> Iterable[ValuePlace]:
    """Return the values that a failure names, and those on the same lines."""
    root = test.function
    while root.parent is not None:
        root = root.parent
    text = root.text or b""
    short = 2
    rows = {
        text.count(b"\n", 0, place.start)
        for place in places
        if len(str(place.value)) >= short and not isinstance(place.value, tuple)
        and re.search(rf"(?<!\w){re.escape(str(place.value))}(?!\w)", said)
    }  # fmt: skip
    return [place for place in places if text.count(b"\n", 0, place.start) in rows]


def _is_sound(variant: Variant, places: Sequence[ValuePlace]) -> bool:
    """Whether a compiler takes the variant wherever the test's values stand, and loops end soon."""
    values = {(item.start, item.end): item for item in places}
    for at, text in variant.replaced.items():
        place = values[at]
        if isinstance(place.value, (int, float)):
            if text.startswith("(-"):
                return False  # an unsigned type has none
            digits = re.match(r"\d+", text)
            if digits is not None and int(digits[0]) > max(_LARGE, abs(place.value) * 10):
                return False
    return True


def cannot_compile(varied: VariedFiles, output: str) -> tuple[Noted, ...] | None:
    """Return the runs in which a compiler found errors; None where it found them elsewhere."""
    found: set[int] = set()
    errors = [*_GO_ERROR.findall(output), *_RUST_ERROR.findall(output)]
    for file, line in errors:
        paths = [path for path in varied.files if path.endswith(file.removeprefix("./"))]
        number = _run_at(varied.files[paths[0]], int(line)) if paths else None
        if number is not None:
            found.add(number)
    runs = tuple(varied.runs[number] for number in sorted(found))
    own = {variant.label for variant in AS_IT_IS}
    return runs if runs and not any(run.variant.label in own for run in runs) else None


_BEGIN = re.compile(
    rb"(?:^|::)(?:\w*?)(?:run|worn|_?[0-9a-f]{8}(?:worn)?)\((\d+), \"[^\"]*\", (?:func|move)"
)


def _run_at(source: bytes, line: int) -> int | None:
    """Return the number of the run that a line of a varied file belongs to."""
    number = None
    for text in source.splitlines()[:line]:
        match = _BEGIN.search(text)
        number = int(match[1]) if match is not None else number
    return number
