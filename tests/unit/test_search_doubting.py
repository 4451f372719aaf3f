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
