"""Say why attempts asked the models that they did, and what these used."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import Attempt
from bot.reporting.prose import line
from bot.reporting.reasons import agent
from bot.reporting.reasons import attempts as reasons

_LONGEST = 600
"""Characters of a sentence that lists what an attempt used."""


def _model_choices(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """Return a sentence for each attempt for which a model was chosen."""
    return tuple(
        reasons.asked(one.n, one.proposal.model or "", one.route.reason)
        for one in attempts
        if one.route is not None and one.route.reason
    )


def models_shown(attempts: Sequence[Attempt]) -> list[str]:
    """Return what models did as lines of Markdown."""
    return [line(said, limit=_LONGEST) for said in what_models_did(attempts)]


def what_models_did(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """Return why attempts asked their models, and what each of them used."""
    used = [agent.attempt_used(one.n, one.proposal.used) for one in attempts if one.proposal.used]
    return (*_model_choices(attempts), *used)
