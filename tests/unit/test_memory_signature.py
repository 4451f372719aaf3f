"""The signature of a failure: the same when it happens again, another for another failure."""

from __future__ import annotations

import pytest

from bot.model import Cause, FailedJob, Failure, Observation, Reproduction
from bot.model.embedding import HashedNgrams, fused, likeness, ngram_vector, scaled
from bot.model.memory import FailureSignature
from bot.model.search_words import MOST_WORDS, search_words
from bot.repair.memory.signature import signature_of, signature_of_run, tool_of

TRACEBACK = """\
    def test_converts():
>       convert({argument})

tests/test_convert.py:{line}:
_ _ _ _ _ _
{root}src/measures/convert.py:{other}: in convert
    return table[unit]
/usr/lib/python3.11/json/decoder.py:340: in decode
{root}src/measures/table.py:7: KeyError
"""


def seen(argument: int, line: int, root: str = "") -> Observation:
    detail = TRACEBACK.format(argument=argument, line=line, other=line + 20, root=root)
    message = f"KeyError: 'knot' after 0.{argument} s in /tmp/pytest-of-me/pytest-{line}/x"
    failure = Failure(
        "tests.test_convert::test_converts", "tests/test_convert.py", line, message, detail
    )
    return Observation("make check", 2, (failure,))


def real(observation: Observation, **more: object) -> Reproduction:
    return Reproduction(Cause.REAL, observation, **more)  # type: ignore[arg-type]


def test_lines_numbers_and_folders_are_no_part_of_it() -> None:
    """Frames are innermost first, and those of the interpreter are left out."""
    signature = signature_of(real(seen(3, 12)))
    other = signature_of(real(seen(47, 90, "/home/runner/work/measures/measures/")))
    assert signature is not None
    assert other is not None
    assert signature.fingerprint == other.fingerprint
    assert signature == FailureSignature(
        "KeyError: 'knot' after # s in TMP",
        "KeyError",
        ("src/measures/table.py", "src/measures/convert.py convert", "tests/test_convert.py"),
        "make check",
        "make",
    )
    assert signature.fingerprint == "a4f07f7a7d5eab7b3eb66fa03125250f"  # as databases have it


def test_a_test_that_fails_by_itself_is_told_from_its_neighbours() -> None:
    """Pytest names no function there, and levelled messages are often the same."""

    def signature(test: str) -> FailureSignature:
        detail = ">       assert 3 == 4\n\ntests/test_split.py:12: AssertionError\n"
        failure = Failure(test, "tests/test_split.py", 12, "assert 3 == 4", detail)
        return signature_of_run(Observation("pytest", 1, (failure,)), step="s", command="pytest")

    failure_signature = signature("tests.test_split::test_quotes")
    assert failure_signature.frames == ("tests/test_split.py test_quotes",)
    assert failure_signature != signature("tests/test_split.py::TestSplit::test_dots")
    assert failure_signature == signature("tests/test_split.py::test_quotes[a-[b]]")
    assert signature("other::test_quotes").frames == ("tests/test_split.py",)
    assert signature("tests.test_split::no name").frames == ("tests/test_split.py",)


def test_each_part_tells_failures_apart() -> None:
    """Two failures that differ in one of them are not the same."""
    plain = FailureSignature("m", "E", ("a",), "s", "t")
    others = [
        FailureSignature("n", "E", ("a",), "s", "t"),
        FailureSignature("m", "F", ("a",), "s", "t"),
        FailureSignature("m", "E", ("b",), "s", "t"),
        FailureSignature("m", "E", ("a",), "z", "t"),
        FailureSignature("m", "E", ("a",), "s", "u"),
    ]
    assert len({signature.fingerprint for signature in (plain, *others)}) == 6


def test_of_several_failures_the_commonest_stands_for_all() -> None:
    """Whatever the order in which a runner names them."""
    failures = tuple(
        Failure(f"t::{name}", "t.py", 1, message)
        for name, message in (
            ("c", "ValueError: 1"),
            ("b", "KeyError: 'x'"),
            ("a", "ValueError: 2"),
        )
    )
    for order in (failures, failures[::-1]):
        found = signature_of_run(Observation("pytest", 1, order), step="pytest", command="pytest")
        assert found.exception == "ValueError"


def test_a_failed_job_is_known_by_its_step_and_a_narrowed_command_by_the_whole_one() -> None:
    """What was narrowed to some tests is the same failure."""
    whole = Observation("tox -e py", 1)
    narrowed = real(seen(1, 1), whole=whole)
    found = signature_of(narrowed)
    assert found is not None
    assert (found.step, found.tool) == ("tox -e py", "tox")
    job = FailedJob("tests (3.12)", step="Run pytest", command="pytest")
    found = signature_of(real(seen(1, 1), jobs=(job,)))
    assert found is not None
    assert found.step == "tests (#): Run pytest"
    assert signature_of(real(Observation("true", 0))) is None


def test_a_tools_rule_and_a_silent_command_have_signatures() -> None:
    """Where there is no traceback, the file is the frame; where nothing is named, the last line."""
    failure = Failure("a/b.py:3: F401", "a/b.py", 3, "`os` imported but unused")
    found = signature_of_run(Observation("lint", 1, (failure,)), step="lint", command="ruff check")
    assert (found.exception, found.frames, found.tool) == ("F401", ("a/b.py",), "ruff")
    silent = Observation("sh x", 3, output="building\nerror: no rule for 17 widgets\n")
    found = signature_of_run(silent, step="sh x", command="sh x")
    assert found.message == "error: no rule for # widgets"


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("python -m pytest -q", "pytest"),
        (".venv/bin/ruff check . && mypy .", "mypy"),
        ("npm test", "npm"),
        ("tox -e lint -- flake8", "flake8"),
        ("./check.sh 'a", "check.sh"),
        ("", ""),
    ],
)
def test_the_tool_is_the_last_one_that_is_named(command: str, tool: str) -> None:
    """What only starts others counts where no other is named."""
    assert tool_of(command) == tool


async def test_like_texts_have_like_vectors() -> None:
    """Identifiers are compared by their parts, too, and rankings are joined."""
    wanted, like, other = await HashedNgrams().embed(
        ["KeyError: 'knots' in unit_table", "KeyError: 'knot' in UnitTable", "ECONNREFUSED fetch"]
    )
    assert likeness(wanted, like) > 0.5 > likeness(wanted, other)
    assert likeness(wanted, wanted) == pytest.approx(1)
    assert likeness(wanted, b"") == likeness(ngram_vector(""), wanted) == 0
    assert scaled([0.5, -1.0]) == bytes([64, 0x81])
    assert fused([1, 2, 3], [3, 1, 4], most=3) == [1, 3, 2]


def test_words_are_bounded_and_plain() -> None:
    """Nothing that means something to a search is in them."""
    assert search_words("read_unitTable('x\"y') OR NEAR") == (
        "readunittable", "read", "unit", "table", "or", "near",
    )  # fmt: skip
    assert len(search_words("a_bc " * 10_000)) == MOST_WORDS
