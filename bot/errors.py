"""Every error that Fixpoint raises on purpose.

    FixpointError                 carries one sentence for a person
    |-- UsageError                what the person gave can't be used; exit code 2
    |   |-- SettingsError         the server's environment; lists every bad variable
    |   |-- RepoConfigError       `.github/fixpoint.yml`; lists every problem with its line
    |   `-- HeadMoved             the commit to repair is not its branch's head any more
    |-- ProviderError             a model provider did not give an answer
    |   |-- ProviderOverloaded    rate limit or overload: another one may answer
    |   |-- ProviderRefused       unknown model, bad request: the same call will fail again
    |   |   `-- CredentialsRefused  bad key, no permission, no credit: every call will fail
    |   |-- ProviderUnreachable   connection refused, time-out, cut stream
    |   |-- ProviderFailing       too many calls failed a moment ago: it is not asked for now
    |   `-- RequestTooLong        the conversation is longer than the model takes
    |-- GitHubError               GitHub said no, or nothing, after the retries
    |   |-- NotPermitted          403 or 404: the App may not do this there
    |   |-- Conflict              the branch moved, or the thing exists already
    |   |-- RepositoryMoved       the repository has another name, under which the same may work
    |   `-- MalformedPayload      a webhook without the fields that its event has
    |-- StorageError              the database did not do what it was asked to
    |   `-- DatabaseUnavailable   it can't at the moment, or not for this process: nobody's fault
    |-- RunOutdated               the server changed, so an unfinished run can't go on
    `-- RunEnded                  control flow: leaves the engine with a verdict
        |-- RunStopped            a person, or whoever ends processes, asked for it
        `-- BudgetExhausted       a cap of the budget is reached

Errors of sandboxes and git live in `sandbox` (`SandboxError`, `GitError`), which knows nothing
of `bot`.
"""

from __future__ import annotations

from bot.usage import Usage


class FixpointError(Exception):
    """An expected error. Its text is one sentence that a person can act on."""


class UsageError(FixpointError):
    """What the person gave can't be used."""


class SettingsError(UsageError):
    """The environment can't be used; `problems` has one sentence per bad variable."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[SettingsError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


class RepoConfigError(UsageError):
    """The repo config can't be used; `problems` has one sentence per problem, with its line."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[RepoConfigError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


class HeadMoved(UsageError):
    """The commit to repair is not the head of its branch any more: a repair of it is no use."""


class ProviderError(FixpointError):
    """A model provider did not give an answer."""

    spent: Usage | None = None
    """What the calls that failed cost nevertheless."""

    passing = False
    """Whether the same call may be answered later, with nobody doing anything about it."""


class ProviderOverloaded(ProviderError):
    """Rate limit or overload: another provider may answer now."""

    passing = True


class ProviderRefused(ProviderError):
    """Unknown model or bad request: the same call will fail again."""


class CredentialsRefused(ProviderRefused):
    """Bad key, no permission or no credit: every call to this provider will fail for a while."""


class ProviderUnreachable(ProviderError):
    """Connection refused, time-out, server error or a stream cut before its stop reason."""

    passing = True


class ProviderFailing(ProviderError):
    """Too many of its last calls failed: it is not asked until a probe shows that it works."""

    def __init__(self, text: str, *, passing: bool = True) -> None:
        super().__init__(text)
        self.passing = passing


class RequestTooLong(ProviderError):
    """The conversation is longer than the model takes."""

    fits: float | None = None
    """The share of it that the model takes and can still answer; None where that is not known."""


class GitHubError(FixpointError):
    """GitHub said no, or nothing, after the retries."""


class NotPermitted(GitHubError):
    """The App may not do this there (403), or can't see it (404)."""


class Conflict(GitHubError):
    """The branch moved, or what should be created exists already (409, 422)."""


class RepositoryMoved(GitHubError):
    """The repository has another name or owner now. That is known from here on: asking again helps."""


class MalformedPayload(GitHubError):
    """A webhook's payload lacks a field that its event has, or has it in another form."""


def is_outage(error: BaseException) -> bool:
    """Whether the same call to GitHub may work later; its kinds of no are answers."""
    return isinstance(error, GitHubError) and not isinstance(
        error, NotPermitted | Conflict | MalformedPayload
    )


class StorageError(FixpointError):
    """The database did not do what it was asked to; nothing was changed."""


class DatabaseUnavailable(StorageError):
    """The database can't be used at the moment, or not by this process; later, or elsewhere, it can."""


class RunOutdated(FixpointError):
    """An unfinished run was begun with other settings or by another version, and can't go on."""


class RunEnded(FixpointError):
    """Leaves the engine early with a verdict."""


class RunStopped(RunEnded):
    """A person asked the run to stop, or its process was asked to end; the text says which."""


class BudgetExhausted(RunEnded):
    """A cap of the budget is reached; the text names it."""
