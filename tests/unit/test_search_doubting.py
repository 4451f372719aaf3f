"""What a search finds out about a patch that passes, on small projects with real test runners."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_search_proposer import PYTEST, propose

PRICES = """\
def price(count, member):
    total = count * 3
    if member and count >= 10:
        total = total - 5
    return total
"""
FAULTY = PRICES.replace(">=", ">")
LOOSE = """\
from prices import price


def test_ten():
    assert price(10, True) == 25
"""
STRICT = (
    LOOSE
    + """

def test_few():
    assert price(9, True) == 27


def test_others():
    assert price(10, False) == 30


def test_many():
    assert price(11, True) == 28
"""
)


@pytest.mark.exhaustive
async def test_tests_that_constrain_a_line_make_a_patch_likelier(tmp_path: Path) -> None:
    """With one test, mutants survive and rivals pass; with more, none do."""
    sure = {}
    for name, tests in (("loose", LOOSE), ("strict", STRICT)):
        (tmp_path / name).mkdir()
        files = {"prices.py": FAULTY, "test_prices.py": tests}
        proposal, _ = await propose(tmp_path / name, files, PYTEST)
        assert proposal.patch
        assert proposal.assurance is not None
        sure[name] = proposal.assurance
    loose, strict = sure["loose"], sure["strict"]
    assert loose.witnesses.caught < loose.witnesses.mutants
    assert loose.witnesses.rivals > strict.witnesses.rivals
    assert strict.witnesses.caught == strict.witnesses.mutants > 0
    assert loose.probability < strict.probability
    assert loose.deciding.startswith("A test ")


SHIFTED = {
    "gap": ("def gap(a, b):\n    x = abs(a - b)\n    return x\n", "gap(2, 9) == 8"),
    "area": ("def area(a, b):\n    return a * b\n", "area(3, 4) == 6"),
    "cost": (
        "def cost(n, each):\n    total = n * each\n    if n > 100:\n        total -= 5\n    return total\n",
        "cost(2, 10) == 25",
    ),
    "shout": ("def shout(text):\n    return text.upper()\n", "shout('a') == 'a'"),
    "last": ("def last(items):\n    return items[0]\n", "last([1, 2]) == 2"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["gap", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in [*SHIFTED][1:])]
)
async def test_one_value_holds_no_formula(tmp_path: Path, name: str) -> None:
    """A patch that shifts every result is suggested at most, however often the same value is tested."""
    program, said = SHIFTED[name]
    tests = "".join(f"def test_{n}():\n    assert {said}\n\n\n" for n in range(3))
    files = {"app.py": program, "test_app.py": f"from app import {name}\n\n\n{tests}"}
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert proposal.assurance is not None
    seen = proposal.assurance.witnesses
    assert (seen.turned, seen.failing) == (1, 3)
    assert seen.outcomes <= 1
    assert 2 * seen.shifted > seen.compared > 20
    assert not proposal.assurance.enough
    assert any("were compared" in doubt for doubt in proposal.assurance.doubts)


RAISING = {
    "seconds": (
        (
            "def seconds(period):\n    if not isinstance(period, int):\n"
            "        period = float.hex()\n    return period\n"
        ),
        "seconds(1.0) == 1",
    ),
    "joined": ("def joined(items):\n    return len(items) + 'a'\n", "joined([1]) == 1"),
    "half": ("def half(n):\n    return n / str(2)\n", "half(4) == 2"),
    "first": ("def first(items):\n    return items[len(items)]\n", "first([5]) == 5"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["seconds", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in [*RAISING][1:])],
)
async def test_an_exception_mended_for_one_value_is_suggested(tmp_path: Path, name: str) -> None:
    """Whatever no longer raises passes: only what it returns for several inputs says that it is right."""
    program, said = RAISING[name]
    tests = f"def test_value():\n    assert {said}\n\n\ndef test_again():\n    assert {said}\n"
    files = {"app.py": program, "test_app.py": f"from app import {name}\n\n\n{tests}"}
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert proposal.assurance is not None
    seen = proposal.assurance.witnesses
    assert seen.turned <= 1
    assert not proposal.assurance.enough
