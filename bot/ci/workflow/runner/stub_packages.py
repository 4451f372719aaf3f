"""Have a job's setup go on without packages that can't be built here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from bot.ci.workflow.runner import runner_shell
from bot.ecosystems.python.missing.stub_packages import FOLDER, Unbuilt, looking_in, standing_in
from bot.model import Target
from bot.reporting.reasons import setup_repair

MOST_LEFT_OUT = 4
"""Packages that can't be built; each costs another installation."""

_FROM_NOW_ON = f"""{looking_in(FOLDER)}
printf '%s\\n' "PIP_FIND_LINKS=$PIP_FIND_LINKS" "UV_FIND_LINKS=$UV_FIND_LINKS" >>~/.ci/env"""


def leaving_out(packages: Sequence[Unbuilt]) -> str:
    """Return the command after which every step finds empty packages, in a runner's sandbox."""
    said = [
        shlex.join(("ci_said", setup_repair.stands_in(package.name, package.version)))
        for package in packages
    ]
    return "\n".join(
        (runner_shell.begin("none"), standing_in(packages, FOLDER), *said, _FROM_NOW_ON)
    )


def without_packages(target: Target, packages: Sequence[Unbuilt]) -> Target:
    """Return the target of a workflow's job with empty packages made before its first step."""
    sentences = tuple(setup_repair.stands_in(package.name, package.version) for package in packages)
    return replace(
        target,
        setup=(target.setup[0], leaving_out(packages), *target.setup[1:]),
        shown=(target.shown[0], f"# {' '.join(sentences)}", *target.shown[1:]),
        differences=(*target.differences, *sentences),
    )
