"""The bash with which the steps of a job keep artifacts, and take those of earlier jobs."""

from __future__ import annotations

from importlib.resources import files

from sandbox.base import HOME

STORE = f"{HOME}/.ci-artifacts"
"""A zip for each artifact that earlier jobs of the run made, or that this one makes."""

PROGRAM = "~/.ci/artifacts.py"


def program() -> str:
    """Return the program that packs and unpacks artifacts."""
    return (files("bot.ci.workflow.inside") / "artifacts.py").read_text("utf-8")


FUNCTIONS = rf"""
# ci_keep_artifact NAME HIDDEN PATHS: keep files for the jobs that run after this one.
ci_keep_artifact() {{
  python3 {PROGRAM} keep {STORE} "$@" || ci_said "There are no files for the artifact $1."
}}

# ci_take_artifacts NAME PATTERN PATH MERGE EACH: unpack what earlier jobs kept.
ci_take_artifacts() {{
  python3 {PROGRAM} take {STORE} "$@" || ci_said "The artifact${{1:+ $1}}${{2:+ $2}} of an earlier job is not available here."
  (mkdir -p "${{3:-.}}" && cd "${{3:-.}}" && echo "download-path=$PWD" >>"$GITHUB_OUTPUT")
}}
"""
"""Defined in every step; see `inside/artifacts.py`."""
