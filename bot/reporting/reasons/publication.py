"""Why a patch is not published or waits, and what becomes of what was published."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.request import FailedCheck
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.series import series

_NAMED = 3
"""Files that a sentence names before it counts the others."""
_MOST_CHECKS = 5
_FAILED_CHECKS = (FailedCheck("lint"), FailedCheck("test (3.12)"))


FROM_A_FORK = "The pull request comes from a fork."
NO_LONGER_LENT = "The author of the fork no longer lets maintainers edit its branch."
SUGGESTIONS_ONLY = "This repository's `confidence` is `suggest`."
PULL_REQUEST_CLOSED = "The pull request was closed while Fixpoint was working on it."


@example("feature", "7d1f0b2", "2c64ae4")
def branch_moved(branch: str, head: str, fixed: str) -> str:
    return f"The branch {branch} moved to {head} while Fixpoint was working on {fixed}."


@example("rea/app", "feature", "Permission to rea/app.git denied to fixpoint[bot]")
def fork_refused(fork: str, branch: str, why: str) -> str:
    return f"GitHub doesn't let the App push to {branch} of {fork}: {why}."


@example("caf\udce9.py")
def path_not_utf8(path: str) -> str:
    return f"GitHub's API does not accept the file name {path!r} because it is not UTF-8."


@example(["`app.pay` was not compared: no test calls it."])
@example(["No test fails without `app.py:3`: `x = 1`", "`pay(0)`: `1` -> `2`"])
def leaves_open(facts: Sequence[str]) -> str:
    more = f" (and {count(len(facts) - 1, 'other point')})" if len(facts) > 1 else ""
    return f"The proof leaves open: {facts[0]}{more}"


@example("feature")
def onto_your_branch(branch: str) -> str:
    return f"It would add a commit to {branch}, a branch that Fixpoint did not create."


@example(["tests/test_app.py"])
def changes_flaky_tests(paths: Sequence[str]) -> str:
    return f"It repairs a flaky test by changing {series(list(paths), most=3)}."


@example("src/settings.py:12")
def looks_like_a_credential(place: str) -> str:
    return f"{place} looks like a credential; anyone who can read the repository would see it."


@example([".github/workflows/ci.yml"])
def changes_automation(paths: Sequence[str]) -> str:
    return f"It changes CI or automation: {series(paths, most=_NAMED)}."


@example(["package.json", "package-lock.json", "a/go.mod", "b/go.mod"])
def changes_dependencies(paths: Sequence[str]) -> str:
    return f"It changes dependencies: {series(paths, most=_NAMED)}."


@example(3, most=0)
@example(3, most=1)
def deletes_files(files: int, *, most: int) -> str:
    return f"It deletes {count(files, 'file')} (allowed without approval: {most})."


@example(1240, most=200)
def deletes_lines(lines: int, *, most: int) -> str:
    return f"It deletes {count(lines, 'line')} (allowed without approval: {most:,})."


WAITING = "Waiting for approval."
QUESTION_LOST = "This approval no longer exists."


@example("ann")
def approved(by: str) -> str:
    return f"{by} approved the patch."


@example("ann")
def rejected(by: str) -> str:
    return f"{by} rejected the patch."


APPROVAL_EXPIRED = "The approval expired."
RUN_NOT_OVER = "Waiting for the run's report."
NO_OPEN_PULL_REQUEST = "No open pull request has this commit."
NO_CHECK_YET = "Waiting for the first check."
RERUN_NOT_OVER = "Waiting for the re-run of flaky jobs."
CHECKS_PASSED = "The checks passed."
CHECKS_FAILED = "The checks failed."
NO_CHECKS = "The commit has no checks."


@example("3fa9c1d20b7e", "The checks passed.")
def checks_of(run_id: str, note: str) -> str:
    return f"Published by run {run_id}. {note}"


@example("Refuse negative totals, too.")
def asked_since(instructions: str) -> str:
    return f"Requested since then, in the pull request: {instructions}"


OFF = "The repo config turns this off."
SWITCHED_OFF = "Automatic runs are off for this pull request (`/fix auto off`)."


@example(("ada",))
@example(("ada", "wes"))
@example(())
def others(authors: Sequence[str]) -> str:
    """Somebody else pushed to the branch: what they wrote is theirs."""
    who = series([code(author) for author in authors], most=3) if authors else "others"
    return f"The branch also has commits by {who}."


ONLY_REPORTED = (
    "A patch was found, but the repo config wants reports only (`confidence: diagnose`)."
)
LIMITS_USED_UP = "The repo config's limits for one fix are used up."
HAD_ITS_RUN = "A run was started for this head and base already."
OPENED_ELSEWHERE = "The run that opened this pull request is no longer known."
MERGES = "It merges without conflicts."
CLOSED = "It is closed."
NOT_KNOWN_YET = "GitHub doesn't know yet whether it merges."


@example(8)
def never_known(looks: int) -> str:
    return f"GitHub didn't say in {count(looks, 'look')} whether it merges."


ANOTHER_RUN_HERE = "Waiting for the active run on this pull request to finish."
OTHER_RUNS = "Waiting for other automatic runs in this repository to finish."


@example(12, "It merges without conflicts.")
def looked(number: int, note: str) -> str:
    return f"#{number}: {note}"


@example("main", "next")
def base_changed(before: str, now: str) -> str:
    return f"It merges into {code(now)} now, but the failure was on {code(before)}."


@example("7d1f0b2")
def head_moved(head: str) -> str:
    return f"The branch is now at {head}."


@example((), limit=False)
@example(_FAILED_CHECKS, limit=False)
@example(_FAILED_CHECKS, limit=True)
def checks_ended(failed: tuple[FailedCheck, ...], *, limit: bool) -> str:
    """Say that the checks pass, or which fail and what people can do."""
    if not failed:
        return "The repository's own checks pass with this fix."
    if limit:
        rest = "The repo config's limits for one fix are used up, so Fixpoint stops here."
    else:
        rest = "To continue, comment `/fix` on the pull request."
    return f"{_checks_fail(failed)} {rest}"


@example(_FAILED_CHECKS, "https://github.com/acme/app/pull/8")
def checks_go_on(failed: tuple[FailedCheck, ...], url: str) -> str:
    """Say which checks fail, and where a new run works on them."""
    return f"{_checks_fail(failed)} Continuing in {url}"


@example(green=True, pull_request=8)
@example(green=False, pull_request=None)
def checks_title(green: bool, pull_request: int | None) -> str:  # noqa: FBT001 - the one thing it tells
    """Return the title of the check run."""
    where = "on the branch" if pull_request is None else f"in #{pull_request}"
    return f"Fixed {where}; checks {'pass' if green else 'fail'}"


def _checks_fail(failed: tuple[FailedCheck, ...]) -> str:
    names = series([code(check.name) for check in failed], most=_MOST_CHECKS)
    return f"The repository's own checks fail with this fix: {names}."


@example("https://github.com/acme/shop/pull/12")
def published_first(url: str) -> str:
    return f"The repair is published: {url}. What changed is added once it is known."
