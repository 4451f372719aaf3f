"""Patches that pass because what failed is no longer run are doubted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.search.in_place import WITHOUT_PLUGINS, repair_in_place
from bot.model import SearchLimits, Witnesses
from bot.repair.proposers.search.confidence import is_silencing, probability
from bot.repair.proposers.search.doubting import MOST, probes
from bot.repair.proposers.search.evidence import SearchEvidence
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement, applied

PROGRAM = """\
def kept(store):
    \"\"\"What is kept.\"\"\"
    if store is NotImplemented:
        return NotImplemented
    names = store.names_of_all()
    names.sort()
    return names


class Store:
    def __init__(self, names):
        self.names = names

    def __le__(self, other):
        names = kept(other)
        if names is NotImplemented:
            return NotImplemented
        return self.names.issubset(names)

    def __ge__(self, other):
        return self.names >= other.names
"""
TEST = "from app import Store\n\ndef test_it():\n    assert Store({1}) <= Store({1, 2})\n"


def candidate(text: str, old: str, new: str) -> Candidate:
    """Return an edit of a file."""
    at = text.index(old)
    line = text.count("\n", 0, at) + 1
    change = Change("comparison", line, 0.9, (Replacement(at, at + len(old), new),), "is another")
    return Candidate(7, "app.py", change, 0.9, "app.py:f:1", cold=False)


def test_what_is_asked_about() -> None:
    """Statements of the function that the failing tests ran, but for the changed one; compound ones too."""
    text = "def f(a):\n  if a: return 1\n  for b in a:\n    b += 1\n  é = 2\n  return b\n\ndef g(): pass\n"
    ran = {0: {"app.py": dict.fromkeys((2, 3, 4, 5, 8), 1)}}
    evidence = SearchEvidence(counted=ran, sources={"app.py": text})
    found = probes(candidate(text, "if a:", "if not a:"), evidence, first=50)
    assert [(item.number, item.change.line) for item in found] == [(50, 3), (51, 4), (52, 5)]
    assert "  if not a: return 1\n  for b in a:\n    raise BaseException\n    b += 1\n" in applied(
        text, found[1].change.replacements
    )


@pytest.mark.parametrize(
    "text", ["x = f(1)\n", "def f(:\n", "def f():\n" + "  a = 1\n" * 90], ids=["no function", "no program", "long"]
)  # fmt: skip
def test_what_can_not_be_asked(text: str) -> None:
    """What lies outside of functions, and more than some statements of a long one."""
    ran = {0: {"app.py": dict.fromkeys(range(1, 90), 1)}}
    evidence = SearchEvidence(counted=ran, sources={"app.py": text})
    found = probes(candidate(text, "f", "g"), evidence, first=50)
    assert len(found) <= MOST
    assert bool(found) is (len(text) > 90)


def test_a_silencing_patch_is_less_likely() -> None:
    """Where no passing test runs the place; with one answer to show for it, it is no repair."""
    seen = Witnesses(4, 4, 0, 1.0, 0, 1, 0.9, 24, 900, reached=6, silenced=4, turned=3, outcomes=4)
    assert is_silencing(seen)
    heard = (replace(seen, silenced=2), replace(seen, passing=3))
    assert all(probability(seen) < probability(other) for other in heard)
    assert probability(replace(seen, turned=1, outcomes=1)) < 0.8


@pytest.mark.slow
async def test_a_comparison_that_only_keeps_the_rest_from_running(tmp_path: Path) -> None:
    """The other operand's method answers then: the test passes, and nothing of the program is mended."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "app.py").write_text(PROGRAM, "utf-8")
    (project / "test_app.py").write_text(TEST, "utf-8")
    command = f"{WITHOUT_PLUGINS} python -m pytest -q"
    proposal = await repair_in_place(project, command, SearchLimits(60.0))
    assert proposal is not None
    assert proposal.assurance is not None
    assert not proposal.assurance.enough
    assert proposal.assurance.witnesses.silenced == proposal.assurance.witnesses.reached == 1
