"""Name the branch and describe the commit: plain text that git and GitHub read literally."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum

from bot.model import Problem, Report, RequestKind
from bot.model.culprit import EventKind
from bot.reporting.figures import failures
from bot.reporting.plain import printable

RUN_TRAILER = "Fixpoint-Run: "
"""Before the run's id, in the message of every commit of ours."""

_TITLE_LENGTH = 72
_SLUG_LENGTH = 40
_MOST_TESTS = 10
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_NOT_REF = re.compile(r"[^A-Za-z0-9/_-]+")
RUN_PLACEHOLDER = "{run}"
"""Makes the name of a branch that of one run alone."""

_PLACEHOLDER = re.compile(r"\{(issue|slug|run)\}")
_SKIPS_CHECKS = re.compile(r"\[(\s*(?:skip|no|ci|actions)\b[^\[\]]*)\]", re.IGNORECASE)
"""`[skip ci]` and its kin: https://docs.github.com/en/actions/how-tos/manage-workflow-runs/skip-workflow-runs"""
_ACTS = re.compile(r"#(?=\d)|(?<!\w)@(?=[A-Za-z0-9])|https?://|(?<=\bGH)-(?=\d)", re.IGNORECASE)
"""What links, notifies or closes from a commit message, where no code span can hold it back."""
_TRAILER = re.compile(
    r"(?<![\w-])(?P<name>[A-Za-z]+(?:-[A-Za-z]+)*-(?:by|checks|to)):", re.IGNORECASE
)


class TitleStyle(StrEnum):
    """How titles of commits and pull requests begin."""

    PLAIN = "plain"
    CONVENTIONAL = "conventional"


_CONVENTIONAL = re.compile(
    r"(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([^()]{1,40}\))?!?: \S"
)
"""With the types that most projects have; other words before a colon name a part of the program.
https://www.conventionalcommits.org/en/v1.0.0/"""

_BEGINNING = re.compile(r"(?P<word>fix(?:es|ed)?|add|change)\b:? *", re.IGNORECASE)
_TYPES = {RequestKind.FEATURE: "feat", RequestKind.CHANGE: "chore"}
_FEWEST_TITLES = 10
_MOST_OTHER_TITLES = 0.3


def style_of(titles: Sequence[str]) -> TitleStyle:
    """Return how a project titles its commits; plain where few of them say it."""
    titles = [title for title in titles if not title.startswith("Merge ")]
    other = sum(_CONVENTIONAL.match(title) is None for title in titles)
    if len(titles) < _FEWEST_TITLES or other > _MOST_OTHER_TITLES * len(titles):
        return TitleStyle.PLAIN
    return TitleStyle.CONVENTIONAL


def plain(text: str, limit: int = 200) -> str:
    """Return untrusted text as one line that has no effect in a title or a commit message.

    References lose the sign that makes them act: `Fixes #9, @ann` becomes `Fixes 9, ann`.
    """
    quiet = _ACTS.sub("", printable(text, 10 * limit))
    return printable(_TRAILER.sub(r"\g<name> -", _SKIPS_CHECKS.sub(r"(\1)", quiet)), limit)


def subject(
    report: Report, limit: int = _TITLE_LENGTH, style: TitleStyle = TitleStyle.PLAIN
) -> str:
    """Return what was repaired, as one line of at most `limit` characters."""
    if style is TitleStyle.PLAIN:
        return _subject(report, limit)
    if report.reverts:
        return plain(f"revert: {_subject(report, limit).removeprefix('Revert ')}", limit)
    kind = _TYPES.get(report.kind, "fix")
    text = _BEGINNING.sub("", _subject(report, limit), count=1)
    return plain(f"{kind}: {text}", limit)


def _subject(report: Report, limit: int) -> str:
    problem = report.problem
    if (act := _act(report)) is not None:
        return plain(act, limit)
    if problem.title.strip() and not problem.is_pull_request and not report.issue_unread:
        title = plain(problem.title, 1_000)
        text = title if re.match(r"fix(?:es|ed)?\b", title, re.IGNORECASE) else f"Fix: {title}"
        return plain(text, limit)
    if (release := _about_release(report)) is not None:
        return plain(release, limit)
    observation = report.reproduction.observation if report.reproduction is not None else None
    failing = observation.failing if observation is not None else ()
    if len(failing) == 1:
        return plain(f"Fix {_short(failing[0].test, limit - len('Fix '))}", limit)
    if failing:
        return f"Fix {failures(each.test for each in failing)}"
    return plain(f"Fix {observation.command}" if observation else "Fix the failing check", limit)


def _act(report: Report) -> str | None:
    """Return what a patch does that mends no failure by itself; None for others."""
    if report.kind is RequestKind.FEATURE:
        return f"Add: {feature(report)}"
    if report.kind is RequestKind.CHANGE:
        return f"Change: {feature(report)}"
    if not report.reverts:
        return None
    first, *others = report.reverts  # as git names that
    more = f" and {len(others)} more" if others else ""
    part = "" if first.is_whole else "part of "
    return f'Revert {part}"{first.event.title}"{more}'


def _about_release(report: Report) -> str | None:
    """Return what a patch does about a release that broke the tests; None for any other patch."""
    attempt = report.accepted_attempt or report.suggested_attempt
    culprits = report.what_changed.culprits if report.what_changed is not None else ()
    releases = [each for each in culprits if each.event.kind is EventKind.RELEASE]
    if attempt is None or attempt.proposer not in {"adapt", "bound"} or not releases:
        return None
    if attempt.proposer == "adapt":
        return "Adapt to " + _listed(f"{each.event.name} {each.event.after}" for each in releases)
    bounds = [each.bound.requirement for each in releases if each.bound is not None]
    return "Require " + _listed(bounds) if bounds else None


def _listed(names: Iterable[str]) -> str:
    *others, last = dict.fromkeys(names)
    return f"{', '.join(others)} and {last}" if others else last


def feature(report: Report) -> str:
    """Return what a request asks to add, as one line."""
    asked = report.specification
    said = asked.title if asked is not None else report.problem.instructions
    return re.sub(r"^add\s*:?\s+", "", " ".join(said.split()), flags=re.IGNORECASE)


def commit_message(
    report: Report, style: TitleStyle = TitleStyle.PLAIN, signed_off_by: str = ""
) -> str:
    """Return title, blank line, what failed and how the repair was verified, and the trailers.

    Args:
        report: Of the run.
        style: Of the title.
        signed_off_by: Login that signs the commit off; "" for none.
    """
    last = trailers(report.run_id, signed_off_by)
    return "\n\n".join([subject(report, style=style), *_story(report), last]) + "\n"


def trailers(run_id: str, signed_off_by: str) -> str:
    """Return the last lines of a message: the run, and the login that signs it off, if any."""
    run = f"{RUN_TRAILER}{run_id}"
    if not signed_off_by:
        return run
    return f"{run}\nSigned-off-by: {signed_off_by} <{signed_off_by}@users.noreply.github.com>"


def branch_slug(problem: Problem) -> str:
    """Return the title as `[a-z0-9-]`, at most 40 characters; `repair` when nothing is left."""
    ascii_title = unicodedata.normalize("NFKD", problem.title).encode("ascii", "ignore").decode()
    slug = _NOT_SLUG.sub("-", ascii_title.lower()).strip("-")
    if len(slug) > _SLUG_LENGTH:
        head, _, cut_word = slug[: _SLUG_LENGTH + 1].rpartition("-")
        slug = head or cut_word[:_SLUG_LENGTH]
    return slug.strip("-") or "repair"


def branch_name(pattern: str, problem: Problem, run_id: str) -> str:
    """Return a name by a pattern, safe as a git ref (git-check-ref-format(1)).

    Args:
        pattern: With `{issue}`, `{slug}` and `{run}`; what is empty leaves no dashes behind.
        problem: What is repaired.
        run_id: The same for every publication of the run.
    """
    number = "" if problem.number is None else str(problem.number)
    values = {"issue": number, "slug": branch_slug(problem), "run": run_id}
    filled = _PLACEHOLDER.sub(lambda found: values[found[1]], pattern)
    parts = (re.sub("-+", "-", _NOT_REF.sub("-", part)).strip("-") for part in filled.split("/"))
    return "/".join(part for part in parts if part)


def _story(report: Report) -> list[str]:
    attempt = report.accepted_attempt
    observation = report.reproduction.observation if report.reproduction is not None else None
    told = [
        _wrapped(
            f"Takes back {'what' if each.is_whole else 'part of what'} commit "
            f"{each.event.name[:12]} by {each.event.author or 'somebody'} changed."
        )
        for each in report.reverts
    ]
    if observation is not None and report.kind is not RequestKind.CHANGE:
        told.append(_wrapped(f"Failed before: {observation.command}"))
        if observation.failing:
            told.append(_tests(tuple(failure.test for failure in observation.failing)))
    if report.kind is RequestKind.CHANGE:
        told.append(
            _wrapped(f"No test shows this change. The tests pass with it ({_verified(report)}).")
        )
    elif attempt is not None:
        told.append(_wrapped(f"Passes with this change ({_verified(report)})."))
    return told


def _verified(report: Report) -> str:
    attempt = report.accepted_attempt
    verification = attempt.verification if attempt is not None else None
    if verification is None or verification.suite is None or verification.uncompared:
        return "verified in a clean sandbox"
    return "verified in a clean sandbox; no new failures in the full test suite"


def _tests(ids: tuple[str, ...]) -> str:
    shown = [f"- {plain(test)}" for test in ids[:_MOST_TESTS]]
    if len(ids) > _MOST_TESTS:
        shown.append(f"- {len(ids) - _MOST_TESTS:,} more")
    return "\n".join(shown)


def _wrapped(text: str) -> str:
    return textwrap.fill(plain(text, 600), 72, break_long_words=False, break_on_hyphens=False)


def _short(test: str, limit: int) -> str:
    """Return the end of a test's id, from a boundary of its parts, when the whole is too long."""
    while len(test) > limit:
        shorter = re.sub(r"^.+?(?:::|[./ ])(?=.)", "", test, count=1)
        if shorter == test:
            break
        test = shorter
    return test
