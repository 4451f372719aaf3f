"""Which failure is it: one test, or one file and rule, for one reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ci.error_lines import levelled
from bot.ci.failure_identity import identity_of, others_than, same_failure
from bot.ci.failures import registry
from bot.model import Failure, Observation
from bot.repair.verification.comparison import new_failures, steady


def of(test: str, message: str, detail: str = "") -> Failure:
    return Failure(test, message=message, detail=detail)


def finding(rule: str, message: str, line: int = 3) -> Failure:
    return Failure(f"a.py:{line}: {rule}", "a.py", line, message)


SAME = [
    (of("t.a::x", "AssertionError: assert 3 == 4"), of("t.a::x", "assert 3 == 4")),
    (of("pkg/t/a::x", "KeyError: 'a'"), of("t.a::x", "KeyError: 'a'")),
    (of("t.a::x", "Error: no such file: '/tmp/pytest-of-ci/pytest-0/x0/in.txt'"),
     of("t.a::x", "Error: no such file: '/tmp/tmpu81zq/in.txt'")),
    (of("t.a::x[<A object at 0x7f01>]", "no <A object at 0x7f01>"),
     of("t.a::x[<A object at 0x7fff>]", "no <A object at 0x7fff>")),
    (of("t.a::x", "ValueError: the run of 2026-11-01T10:00:00Z took 900ms"),
     of("t.a::x", "ValueError: the run of 2026-11-02T11:30:12.5+01:00 took 1.2s")),
    (of("t.a::x", "job 606bb6e81f2a of 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed is gone"),
     of("t.a::x", "job 77aa06e81f2b of 9c9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed is gone")),
    (of("t.a::x", "TypeError: parse() got an unexpected keyword argu..."),
     of("t.a::x", "TypeError: parse() got an unexpected keyword argument 'base'")),
    (of("t.a::x", ""), of("t.a::x", "KeyError: 'a'")),
    (finding("F401", "`os` imported but unused"), finding("F401", "`os` imported but unused", 9)),
    (finding("F401", "'os' imported but unused"),
     finding("F401", "`os` imported but unused; consider removing")),
    (finding("annotation", "Unused import"), finding("F401", "`os` imported but unused")),
    (of("t.a::x", "at src/a.py:31:7 the row is empty"), of("t.a::x", "at src/a.py:29:7 the row is empty")),
]  # fmt: skip

OTHER = [
    (of("t.a::x", "assert 3 == 4"), of("t.a::y", "assert 3 == 4")),
    (of("t.a::x", "KeyError: 'a'"), of("t.a::x", "ModuleNotFoundError: No module named 'trio'")),
    (of("t.a::x", "KeyError: 'a'"), of("t.a::x", "KeyError: 'b'")),
    (of("t.a::x", "Command 'tool' returned non-zero exit status 1."),
     of("t.a::x", "Command 'tool' returned non-zero exit status 127.")),
    (of("t.a::x", "HTTPError: 404 for /a"), of("t.a::x", "HTTPError: 500 for /a")),
    (of("t.a::x", "the tool exited with code -11"), of("t.a::x", "the tool exited with code 2")),
    (of("t.a::x", "AxiosError: Request failed with status code 404"),
     of("t.a::x", "AxiosError: Request failed with status code 502")),
    (of("t.a::x", "ValueError: empty"), of("t.a::x", "TypeError: empty")),
    (of("pre-commit: lint", "a.py: missing docstring"),
     of("pre-commit: lint", "ModuleNotFoundError: No module named 'yaml'")),
    (finding("F401", "`os` imported but unused"), finding("F401", "`re` imported but unused")),
    (finding("error", "unsupported syntax"), finding("error", "incompatible types")),
    (of("t.a::x", "the run is..."), of("t.a::x", "the runner has no memory")),
]  # fmt: skip


@pytest.mark.parametrize(("failure", "other"), SAME)
def test_one_failure_in_two_places(failure: Failure, other: Failure) -> None:
    """What differs from run to run, from reader to reader and from line to line does not count."""
    assert same_failure(failure, other)
    assert same_failure(other, failure)


@pytest.mark.parametrize(("failure", "other"), OTHER)
def test_two_failures_of_one_name(failure: Failure, other: Failure) -> None:
    """A name alone is not enough, nor is a reason."""
    assert not same_failure(failure, other)
    assert not same_failure(other, failure)


WORDS = st.lists(
    st.sampled_from(["row", "column", "empty", "missing", "user", "cart", "of", "the"]), min_size=1
)
FLEETING = (
    st.integers(0, 2**47).map(lambda n: f"0x{n:x}"),
    st.uuids().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.from_regex(r"/tmp/[a-z0-9_]{4,12}", fullmatch=True),
    st.integers(0, 10**9).map(str),
    st.floats(0, 1e5).map(lambda seconds: f"{seconds:.3f}s"),
    st.integers(0, 10**6).map(lambda spent: f"{spent} ms"),
)
TWICE = st.one_of(*(st.tuples(kind, kind) for kind in FLEETING))


@given(WORDS, st.lists(TWICE, min_size=1, max_size=3))
def test_what_a_process_makes_up_tells_nothing(
    words: list[str], fleeting: list[tuple[str, str]]
) -> None:
    """Addresses, ids, moments, temporary paths, numbers and times, each in its place."""
    front = " ".join(words)
    failure, other = (
        of("t::x", f"Error: {front} ({'; '.join(each)})") for each in zip(*fleeting, strict=True)
    )
    assert same_failure(failure, other)


@given(WORDS, WORDS)
def test_words_tell_failures_apart(words: list[str], others: list[str]) -> None:
    """Whatever they have in common."""
    failure, other = (of("t::x", f"Error: {' '.join(each)} 3") for each in (words, others))
    assert same_failure(failure, other) is (words == others)


@given(st.text(max_size=600), st.text(max_size=80))
def test_an_identity_is_pure(message: str, test: str) -> None:
    """Read twice it is the same, a levelled message is level, and each failure is itself."""
    failure = of(test or "t", message)
    assert identity_of(failure) == identity_of(failure)
    assert levelled(levelled(message)) == levelled(message)
    assert same_failure(failure, failure)


def test_each_known_failure_accounts_for_one() -> None:
    """Two findings of one kind are not one, wherever they stand."""
    known = [finding("E501", "line too long (90 > 88)")]
    more = [finding("E501", "line too long (99 > 88)", line) for line in (4, 10)]
    assert others_than(more, known) == (more[1],)
    assert others_than(more, more) == ()


def test_a_patch_that_lets_a_test_fail_of_something_else() -> None:
    """It is not excused by the name, unless the reason differs without the patch as well."""

    def suite(message: str) -> Observation:
        return Observation("pytest", 1, (of("t::x", message),))

    before, after = suite("no route to the host"), suite("KeyError: 'rates'")
    fresh = new_failures(before, after)
    assert [failure.test for failure in fresh] == ["t::x"]
    assert new_failures(before, suite("no route to the host")) == ()
    assert steady(fresh, before, before) == fresh
    assert steady(fresh, before, suite("the host is down")) == ()


def test_a_hook_that_crashes_says_why() -> None:
    """What it prints before that is no reason: it prints it always."""
    crash = "Checking docs ...\nTraceback (most recent call last):\n  File \"h.py\", line 1\nModuleNotFoundError: No module named 'yaml'"
    log = f"docs.................Failed\n- hook id: docs\n- exit code: 1\n\n{crash}\n"
    found = registry.read(log, command="pre-commit run").failing
    assert [(failure.test, failure.message) for failure in found] == [
        ("pre-commit: docs", "ModuleNotFoundError: No module named 'yaml'")
    ]
