"""Actions that hand files from one job of a run to another."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from bot.ci.workflow.actions.effect import (
    Act,
    ActionStatus,
    Effect,
    Inputs,
    skipped,
)
from bot.model.artifacts import ArtifactWish
from bot.reporting.reasons import job_steps as effects

_BUILDS = "hynek/build-and-inspect-python-package"
_OLD = re.compile(r"v?(?P<major>\d+)(?:\.|$)")
_THIS_RUN = frozenset({"", "1"})
"""`github.run_id` as it is here; any other run has a number of its own."""

_LEAVES_HIDDEN_OUT = 4
"""First version of `actions/upload-artifact` that does so, since its 4.4."""


def _download(inputs: Inputs) -> Effect:
    if inputs.text("run-id") not in _THIS_RUN or inputs.text("artifact-ids"):
        return skipped(effects.artifact_missing(inputs.text("name", "pattern")))
    wish = ArtifactWish(inputs.text("name"), inputs.text("pattern"))
    own_folder = _major(inputs) == 1 and not inputs.text("path")
    merge = str(inputs.flag("merge-multiple")).lower()
    words = (wish.name, wish.pattern, inputs.text("path"), merge, str(own_folder).lower())
    script = shlex.join(("ci_take_artifacts", *words))
    return Effect(ActionStatus.DONE, effects.takes_artifact(wish.name), script, takes=wish)


def _upload(inputs: Inputs) -> Effect:
    name = inputs.text("name", default="artifact")
    major = _major(inputs)
    hidden = inputs.flag("include-hidden-files") or (
        major is not None and major < _LEAVES_HIDDEN_OUT
    )
    return Effect(
        ActionStatus.DONE,
        effects.keeps_artifact(name),
        _keep(name, inputs.text("path"), hidden),
        keeps=name,
    )


def _build(inputs: Inputs) -> Effect:
    name = f"Packages{inputs.text('upload-name-suffix')}"
    folder = shlex.quote(inputs.text("path", default="."))
    script = f"uv build --out-dir ~/.ci/temp/dist {folder}\n{_keep(name, '~/.ci/temp/dist')}"
    return Effect(ActionStatus.DONE, effects.keeps_artifact(name), script, keeps=name)


def _keep(name: str, paths: str, hidden: bool = False) -> str:  # noqa: FBT001, FBT002 - one call gives it
    return shlex.join(("ci_keep_artifact", name, str(hidden).lower(), paths))


def _major(inputs: Inputs) -> int | None:
    """Return the version of an action, None where a commit or branch names it."""
    found = _OLD.match(inputs.version)
    return int(found["major"]) if found and len(inputs.version) < 20 else None  # noqa: PLR2004 - a commit has 40


TAKING: Mapping[str, Act] = {"actions/download-artifact": _download}
"""By name in lower case."""

KEEPING: Mapping[str, Act] = {"actions/upload-artifact": _upload, _BUILDS: _build}
"""What stands in for these in a job that runs for its artifacts."""
