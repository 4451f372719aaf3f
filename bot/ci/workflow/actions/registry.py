"""Find what a step's `uses` does here."""

from __future__ import annotations

from collections.abc import Mapping

from bot.ci.workflow.actions.checks import CHECKS
from bot.ci.workflow.actions.effect import Effect, Inputs, skipped
from bot.ci.workflow.actions.housekeeping import HOUSEKEEPING
from bot.ci.workflow.actions.languages import languages
from bot.detect.tree import Tree
from bot.reporting.reasons import action_effects as effects


def effect_of(uses: str, inputs: Mapping[str, str], tree: Tree) -> Effect:
    """Return what an action that is not of the repository does here.

    Args:
        uses: `owner/name[/path]@ref`, or `docker://image`.
        inputs: Its `with`, rendered.
        tree: Files in which versions may stand.
    """
    if uses.startswith("docker://"):
        return skipped(effects.container_action(uses))
    name, _, version = uses.partition("@")
    given = Inputs({key.lower(): value for key, value in inputs.items()}, version)
    act = {**HOUSEKEEPING, **CHECKS, **languages(tree)}.get(name.lower())
    if act is None:
        return skipped(effects.unknown_action(name))
    return act(given)
