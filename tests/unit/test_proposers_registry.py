"""The one list of proposers: what it says of each is what its folder has."""

from __future__ import annotations

import pytest

from bot.app import build_proposers
from bot.config.repo_config import RepoConfig
from bot.model.proposers import PROPOSERS
from tests.flows.agent_world import ScriptedModel, says


def test_every_proposer_has_its_folder() -> None:
    """With a model all of them are there, in the order of the list, with the traits it gives."""
    built = build_proposers(ScriptedModel(says("done")))
    assert {name: proposer.traits for name, proposer in built.items()} == dict(PROPOSERS)
    assert list(built) == list(PROPOSERS)


def test_without_a_model_those_that_need_one_are_left_out() -> None:
    """The rest works without a key."""
    assert list(build_proposers(None)) == [
        name for name, traits in PROPOSERS.items() if not traits.needs_model
    ]


@pytest.mark.parametrize("name", PROPOSERS)
def test_the_repo_config_knows_every_proposer(name: str) -> None:
    """Also the default names them all."""
    assert RepoConfig.model_validate({"proposers": [name]}).proposers == (name,)
    assert RepoConfig().proposers == tuple(PROPOSERS)
