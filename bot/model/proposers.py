"""The proposers that Fixpoint has, and what each is like: decisions ask for traits, not names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class ProposerTraits:
    """What a run has to know of a proposer before it asks it.

    Attributes:
        name: As people write it, and as reports show it.
        once: Asked again, it would only repeat itself.
        finds_another: Except that it finds another patch after a rejected one.
        empty_counts: An answer without a patch uses up one of the run's attempts.
        may_edit_tests: Its changes to existing tests belong to the repair: formatters touch every
            file.
        tidies: It also tidies what others propose for the other failed jobs of the commit.
        needs_model: It can't be had without a model.
        writes_tests: It can write a failing test for a problem that no test shows yet.
        reads_recent: It asks which lines were changed lately.
        reads_changes: It asks since which commit or release the tests fail.
        answers_release: It does something about the release since which the tests fail.
        last_resort: It is asked once nobody else helps.
        follows_texts: It asks which texts of programs were changed lately.
        reads_map: It is shown a map of the repository.
        is_given: Its patch is somebody else's, and brings its own tests.
        recalls: It only knows what repaired the very same failure before.
        mends_flaky: It only mends a flaky test of which it is known what decides.
        undoes: It takes back something of the commit that is proven to have broken the tests.
    """

    name: str
    once: bool = False
    finds_another: bool = False
    empty_counts: bool = True
    may_edit_tests: bool = False
    tidies: bool = False
    needs_model: bool = False
    writes_tests: bool = False
    reads_recent: bool = False
    reads_changes: bool = False
    answers_release: bool = False
    last_resort: bool = False
    follows_texts: bool = False
    reads_map: bool = False
    is_given: bool = False
    recalls: bool = False
    undoes: bool = False
    mends_flaky: bool = False


def _by_name(proposers: Iterable[ProposerTraits]) -> Mapping[str, ProposerTraits]:
    return MappingProxyType({proposer.name: proposer for proposer in proposers})


PROPOSERS = _by_name(
    [
        ProposerTraits("memory", once=True, empty_counts=False, recalls=True),
        ProposerTraits(
            "flaky",
            once=True,
            finds_another=True,
            empty_counts=False,
            may_edit_tests=True,
            mends_flaky=True,
        ),
        ProposerTraits(
            "mechanical",
            once=True,
            empty_counts=False,
            may_edit_tests=True,
            tidies=True,
            follows_texts=True,
        ),
        ProposerTraits(
            "adapt",
            once=True,
            finds_another=True,
            empty_counts=False,
            may_edit_tests=True,
            answers_release=True,
        ),
        ProposerTraits(
            "search",
            once=True,
            finds_another=True,
            empty_counts=False,
            reads_recent=True,
            reads_changes=True,
        ),
        ProposerTraits("revert", once=True, finds_another=True, empty_counts=False, undoes=True),
        ProposerTraits(
            "agent", needs_model=True, writes_tests=True, reads_map=True, reads_changes=True
        ),
        ProposerTraits(
            "bound",
            once=True,
            empty_counts=False,
            may_edit_tests=True,
            answers_release=True,
            last_resort=True,
        ),
    ]
)
"""By name, cheapest first. `bot/repair/proposers/<name>/` has the `build` of each."""
