"""Find what a step's `uses` does here."""

from __future__ import annotations

from collections.abc import Mapping

from bot.ci.workflow.actions.artifacts import KEEPING, TAKING
from bot.ci.workflow.actions.checks import CHECKS
from bot.ci.workflow.actions.conda import conda_actions
from bot.ci.workflow.actions.containers import contained
from bot.ci.workflow.actions.effect import Act, Effect, Inputs, skipped
from bot.ci.workflow.actions.housekeeping import HOUSEKEEPING
from bot.ci.workflow.actions.languages import languages
from bot.ci.workflow.actions.tools import wrapped
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps as effects


def effect_of(
    uses: str, inputs: Mapping[str, str], tree: Tree, *, keeps_artifacts: bool = False
) -> Effect:
    """Return what an action that is not of the repository does here.

    Args:
        uses: `owner/name[/path]@ref`, or `docker://image`.
        inputs: Its `with`, rendered.
        tree: Files in which versions may stand.
        keeps_artifacts: Whether another job takes what this one uploads.
    """
    values = {key.lower(): value for key, value in inputs.items()}
    if uses.startswith("docker://"):
        image = uses.removeprefix("docker://")
        return contained(image, Inputs(values)) or skipped(effects.container_action(uses))
    name, _, version = uses.partition("@")
    given = Inputs(values, version)
    act = {**_known(tree), **(KEEPING if keeps_artifacts else {})}.get(name.lower())
    if act is None:
        return wrapped(name, given) or skipped(effects.unknown_action(name))
    return act(given)


def is_known(uses: str) -> bool:
    """Whether it is known what an action does, so that its file need not say it."""
    return uses.partition("@")[0].lower() in {**_known(_NoFiles()), **KEEPING}


def _known(tree: Tree) -> dict[str, Act]:
    return {**HOUSEKEEPING, **TAKING, **CHECKS, **languages(tree), **conda_actions(tree)}


class _NoFiles:
    """A tree with nothing in it."""

    def read(self, path: str) -> str | None:  # noqa: ARG002 - as all trees
        return None

    def exists(self, path: str) -> bool:  # noqa: ARG002 - as all trees
        return False

    def glob(self, pattern: str) -> tuple[str, ...]:  # noqa: ARG002 - as all trees
        return ()
