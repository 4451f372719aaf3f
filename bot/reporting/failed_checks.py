"""The failed checks of a commit as Markdown: which job, which step, and what differs here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.model import FailedJob
from bot.reporting.evidence import named, output
from bot.reporting.markdown import bullets, code, details, escape, joined
from bot.reporting.prose import line
from bot.reporting.series import series

_MOST_CHECKS = 12
_ADDRESS = re.compile(r"https?://[\w./:%?=&#~+-]+")


def failed_checks(jobs: Sequence[FailedJob]) -> str:
    """Return one line for each failed check; nothing when a person asked without any."""
    if not jobs:
        return ""
    told = [_check(job) for job in jobs[:_MOST_CHECKS]]
    if len(jobs) > _MOST_CHECKS:
        told.append(f"and {len(jobs) - _MOST_CHECKS} more")
    return f"Failed on GitHub:\n\n{bullets(told)}"


def differences(jobs: Sequence[FailedJob]) -> str:
    """Return what differs from GitHub's runner, folded."""
    told = [
        f"{code(job.check)}: {line(sentence)}" for job in jobs for sentence in job.differences[:20]
    ]
    return details("Differences from GitHub's runner", bullets(told)) if told else ""


def logs(jobs: Sequence[FailedJob], *, limit: int = 6_000) -> str:
    """Return what the failed steps printed at GitHub, folded."""
    shown = [job for job in jobs if job.excerpt.strip()][:4]
    share = limit // max(1, len(shown))
    return "\n\n".join(output(f"Log of {job.check}", job.excerpt, limit=share) for job in shown)


def _check(job: FailedJob) -> str:
    parts = [_linked(job)]
    if job.step:
        parts.append(f", step {code(job.step)}")
    if job.command:
        parts.append(f", reproduced as {code(job.command)}")
    if job.failing:
        parts.append(f": {series([*map(named, job.failing)], most=1)}")
    text = joined(parts)
    return f"{text}. {line(job.why_not)}" if job.why_not else f"{text}."


def _linked(job: FailedJob) -> str:
    if _ADDRESS.fullmatch(job.url):
        return f"[{escape(job.check, starts_line=False)}]({job.url})"
    return code(job.check)
