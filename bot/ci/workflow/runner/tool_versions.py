"""Bring the tools of a job's environment to the versions that its log tells of."""

from __future__ import annotations

import shlex

from bot.ci.workflow.runner import runner_shell
from bot.reporting.reasons import job_steps

# What is not installed was none of this job's; what is not available is said, and nothing fails.
_LOOP = """\
for wanted in {wanted}; do
  name=${{wanted%%==*}}
  have=$(~/.venv/bin/python -c 'import sys; from importlib.metadata import version; print(version(sys.argv[1]))' "$name" 2>/dev/null) || continue
  [ "$name==$have" != "$wanted" ] || continue
  uv pip install -q --python ~/.venv/bin/python "$wanted" 2>/dev/null || ~/.venv/bin/python -m pip install -q "$wanted" 2>/dev/null || ci_said "The job used ${{wanted/==/ }}, which is not available here: $name $have is used."
done
true"""


def same_versions(wanted: tuple[str, ...]) -> str:
    """Return the bash that installs other versions where the environment has other ones.

    Args:
        wanted: As `name==version`.
    """
    loop = _LOOP.format(wanted=" ".join(map(shlex.quote, wanted)))
    return f"{runner_shell.begin('none')}\n{loop}"


def shown(wanted: tuple[str, ...]) -> str:
    """Return the same for a person."""
    return job_steps.logged_versions([each.replace("==", " ") for each in wanted])
