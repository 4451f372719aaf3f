"""Who gets what for which comment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.config.repo_config import Role, WhoSection
from bot.github.values import Permission
from bot.intake.commands import Command, Explain, Fix, Help, Retry, Status, Stop
from bot.intake.comment_policy import Asked, Identity, ThreadRuns, candidate, decide, screen
from bot.intake.comment_values import CommentCreated, CommentEdited, EventComment, Sender, Thread
from bot.intake.decisions import (
    CommandCandidate,
    CommentReply,
    Decision,
    Ignore,
    IgnoredReason,
    Refusal,
    Refuse,
    ReplyKind,
    StartRun,
    StopRun,
)
from bot.model.repository import Repo
from bot.model.request import Effort, FixRequest, Options

IDENTITY = Identity("fixpoint")
WRITTEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
EDITED = datetime(2026, 3, 1, 13, 0, tzinfo=UTC)


def created(
    body: str = "/fix",
    *,
    login: str = "ada",
    is_bot: bool = False,
    via_app: str | None = None,
    locked: bool = False,
    is_open: bool = True,
) -> CommentCreated:
    """Return a new comment."""
    return CommentCreated(
        repo=Repo("octo/widgets", 7),
        thread=Thread(12, is_pull_request=True, title="It crashes", is_open=is_open, locked=locked),
        sender=Sender(login, is_bot=is_bot),
        comment=EventComment(501, login, "NONE", body, via_app, WRITTEN, WRITTEN),
    )


def edited(old: str, new: str, *, editor: str = "ada") -> CommentEdited:
    """Return an edited comment."""
    event = created(new)
    return CommentEdited(
        repo=event.repo,
        thread=event.thread,
        sender=Sender(editor, is_bot=False),
        comment=replace(event.comment, updated_at=EDITED),
        previous_body=old,
    )


def request(**changes: object) -> FixRequest:
    """Return what a plain `/fix` of `created` asks for."""
    plain = FixRequest("octo/widgets", 7, 12, True, "ada", 501, WRITTEN)  # noqa: FBT003 - is_pull_request
    return replace(plain, **changes)  # type: ignore[arg-type] # a test's shorthand


def decided(
    command: Command,
    *,
    permission: Permission = Permission.WRITE,
    who: WhoSection | None = None,
    standing: ThreadRuns | None = None,
    login: str = "ada",
) -> Decision:
    """Decide about a command in a new comment."""
    return decide(
        CommandCandidate(created(login=login), command),
        permission=permission,
        who=who or WhoSection(),
        standing=standing or ThreadRuns(),
    )


@pytest.mark.parametrize("command", [Fix("once more"), Retry()])
def test_as_much_again_takes_an_approval(command: Command) -> None:
    """Of who may approve, by whatever word; the very same comment is no other request."""
    spent = ThreadRuns(latest=replace(request(), comment_id=400), spent=True)
    assert decided(command, standing=spent) == Refuse(Refusal.SPENT, Role.MAINTAIN)
    assert isinstance(decided(command, standing=spent, permission=Permission.MAINTAIN), StartRun)
    assert isinstance(decided(command, standing=replace(spent, spent=False)), StartRun)
    assert isinstance(decided(command, standing=replace(spent, latest=request())), StartRun)


def test_a_comment_with_a_command_is_a_candidate() -> None:
    """What it asks for is passed on with the event."""
    event = created("Please!\n\n/fix quickly")
    assert screen(event, IDENTITY) is None
    assert candidate(event) == CommandCandidate(event, Fix("quickly"))


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (created("It crashes"), IgnoredReason.NO_COMMAND),
        (created("see /srv/fix or a /fixture; `/fix`"), IgnoredReason.NO_COMMAND),
        (created(login="fixpoint[bot]", is_bot=True), IgnoredReason.OURSELVES),
        (created(login="Fixpoint[bot]"), IgnoredReason.OURSELVES),
        (created(via_app="fixpoint"), IgnoredReason.OURSELVES),
        (created(login="renovate[bot]", is_bot=True), IgnoredReason.BOT),
        (created(login="renovate[bot]"), IgnoredReason.BOT),
        (created(login="a-machine", is_bot=True), IgnoredReason.BOT),
        (created(via_app="helper"), IgnoredReason.BOT),
        (created(locked=True), IgnoredReason.LOCKED),
        (edited("a", "b"), IgnoredReason.NO_COMMAND),
    ],
)
def test_what_is_ignored_without_a_question(
    event: CommentCreated | CommentEdited, reason: IgnoredReason
) -> None:
    """What can hold no command, bots, ourselves and locked threads cost no request."""
    assert screen(event, IDENTITY) == Ignore(reason)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (created("```\n/fix\n```"), IgnoredReason.NO_COMMAND),
        (edited("/fix", "/fix\n\nThanks!"), IgnoredReason.NOTHING_NEW),
    ],
)
def test_what_is_ignored_once_it_is_read(
    event: CommentCreated | CommentEdited, reason: IgnoredReason
) -> None:
    """Only Markdown tells that it is no command, and only a comparison that it is no new one."""
    assert screen(event, IDENTITY) is None
    assert candidate(event) == Ignore(reason)


def test_an_edit_that_adds_a_command_asks_for_it() -> None:
    """The command counts for the editor, at the time of the edit."""
    asked = candidate(edited("Hm.", "Hm.\n\n/fix", editor="eve"))
    assert isinstance(asked, CommandCandidate)
    decision = decide(asked, permission=Permission.WRITE, who=WhoSection(), standing=ThreadRuns())
    assert decision == StartRun(request(actor="eve", asked_at=EDITED))


def test_a_person_with_write_access_starts_a_run() -> None:
    """The request carries everything that a run starts from."""
    options = Options(attempts=2, effort=Effort.LOW)
    assert decided(Fix("keep the API", options)) == StartRun(
        request(instructions="keep the API", options=options)
    )


def test_an_explanation_needs_no_money() -> None:
    """It is asked like a run, and starts also where the last one used up its budget."""
    decision = decided(Explain(), standing=ThreadRuns(latest=request(), spent=True))
    assert isinstance(decision, StartRun)
    assert decision.request.only_explains


@pytest.mark.parametrize("permission", [Permission.TRIAGE, Permission.READ, Permission.NONE])
@pytest.mark.parametrize("command", [Fix(), Retry(), Explain(), Stop(), Status(), Help()])
def test_nobody_else_gets_anything(permission: Permission, command: Command) -> None:
    """Without write access there is one refusal, which is told once per thread."""
    decision = decided(command, permission=permission, standing=ThreadRuns(active="abc"))
    assert decision == Refuse(Refusal.NO_PERMISSION, "write")


@pytest.mark.parametrize(
    ("who", "login", "permission", "allowed"),
    [
        (WhoSection(), "ada", Permission.WRITE, True),
        (WhoSection(permission=Role.MAINTAIN), "ada", Permission.WRITE, False),
        (WhoSection(permission=Role.MAINTAIN), "ada", Permission.MAINTAIN, True),
        (WhoSection(permission=Role.MAINTAIN), "ada", Permission.ADMIN, True),
        (WhoSection(permission=Role.ADMIN), "ada", Permission.MAINTAIN, False),
        (WhoSection(permission=Role.ADMIN, users=("Ada",)), "ada", Permission.WRITE, True),
        (WhoSection(permission=Role.ADMIN, users=("@ada",)), "Ada", Permission.WRITE, True),
        (WhoSection(permission=Role.ADMIN, users=("bob",)), "ada", Permission.WRITE, False),
        (WhoSection(users=("ada",)), "ada", Permission.READ, False),
        (WhoSection(users=("bob",)), "ada", Permission.WRITE, True),
    ],
)
def test_the_config_narrows_who_may_ask(
    who: WhoSection, login: str, permission: Permission, *, allowed: bool
) -> None:
    """A higher role, or a name on the list; never anybody without write access."""
    decision = decided(Fix(), who=who, login=login, permission=permission)
    assert isinstance(decision, StartRun) is allowed


def test_a_second_run_waits_for_the_first() -> None:
    """While a run is active another is refused, with the id of the active one."""
    for command in (Fix(), Retry()):
        assert decided(command, standing=ThreadRuns(active="abc")) == Refuse(
            Refusal.ALREADY_RUNNING, "abc"
        )


def test_the_same_request_again_is_not_a_second_run() -> None:
    """A delivery that is worked through twice ends in the same run, not in a refusal."""
    again = ThreadRuns(active=request().run_id, latest=request())
    assert decided(Fix(), standing=again) == StartRun(request())


def test_retry_asks_for_the_last_run_again() -> None:
    """With its instructions and options, except those that the retry sets itself."""
    earlier = request(
        comment_id=1,
        actor="bob",
        instructions="keep the API",
        options=Options(attempts=2, model="small", draft=False),
    )
    decision = decided(Retry(Options(model="large")), standing=ThreadRuns(latest=earlier))
    assert decision == StartRun(
        request(
            instructions="keep the API", options=Options(attempts=2, model="large", draft=False)
        )
    )


def test_retry_without_a_run_before_is_a_fix() -> None:
    """There is nothing to repeat, but the wish is clear."""
    assert decided(Retry(Options(attempts=1))) == StartRun(request(options=Options(attempts=1)))


def test_stop_stops_the_active_run() -> None:
    """Without one the person is told so."""
    assert decided(Stop(), standing=ThreadRuns(active="abc")) == StopRun("abc")
    assert decided(Stop()) == Refuse(Refusal.NOTHING_TO_STOP)


def test_help_and_status_are_answered() -> None:
    """Status names the active run, if there is one."""
    assert decided(Help()) == CommentReply(ReplyKind.HELP)
    assert decided(Status()) == CommentReply(ReplyKind.STATUS)
    assert decided(Status(), standing=ThreadRuns(active="abc")) == CommentReply(
        ReplyKind.STATUS, "abc"
    )


def test_a_bad_command_is_explained() -> None:
    """The person gets the sentence about the option."""
    asked = candidate(created("/fix --atempts 3"))
    assert isinstance(asked, CommandCandidate)
    decision = decide(asked, permission=Permission.WRITE, who=WhoSection(), standing=ThreadRuns())
    assert isinstance(decision, Refuse)
    assert decision.refusal is Refusal.BAD_COMMAND
    assert "did you mean `--attempts`?" in decision.detail


def test_a_later_stop_counts_for_a_command_that_comes_after_it() -> None:
    """GitHub delivers in any order; a run that was started already is no other one."""
    own = Asked(WRITTEN, 501)
    for later in (Asked(WRITTEN, 502), Asked(EDITED, 499)):
        stopped = ThreadRuns(stopped=later)
        for command in (Fix(), Retry()):
            assert decided(command, standing=stopped) == Refuse(Refusal.STOPPED_SINCE)
        again = replace(stopped, latest=request())
        assert isinstance(decided(Fix(), standing=again), StartRun)
    for earlier in (own, Asked(WRITTEN, 500)):
        assert isinstance(decided(Fix(), standing=ThreadRuns(stopped=earlier)), StartRun)


def test_a_closed_issue_makes_no_difference() -> None:
    """A person asked; whether it makes sense is theirs to know."""
    event = created(is_open=False)
    assert screen(event, IDENTITY) is None
    assert isinstance(candidate(event), CommandCandidate)


def test_a_run_id_belongs_to_one_request() -> None:
    """Stable for the same comment, whatever else changes; another one for another edit."""
    first = request()
    assert first.run_id == request(actor="bob", instructions="x", repository="Octo/Widgets").run_id
    others = [request(comment_id=502), request(asked_at=EDITED), request(repository="octo/other")]
    assert len({first.run_id, *(other.run_id for other in others)}) == 4
    assert len(first.run_id) == 12
    assert int(first.run_id, 16)
