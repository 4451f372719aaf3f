"""Say what would happen at a commit, an issue or a pull request, and do nothing of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bot.config.repo_config import RepoConfig
from bot.config.values import Proved
from bot.github.github import GitHub
from bot.github.values import Permission, PullRequest
from bot.intake.check_policy import (
    CommitPosition,
    PassBy,
    Start,
    Wait,
    Why,
    Wishes,
    decide_commit,
    failing,
    hindrances,
    screen_commit,
    screening,
)
from bot.intake.commands import Fix
from bot.intake.comment_policy import Identity, ThreadRuns, decide, screen
from bot.intake.comment_values import CommentCreated, EventComment, Sender, Thread
from bot.intake.commit_facts import CommitFacts
from bot.intake.decisions import CommandCandidate, Refuse, StartRun
from bot.intake.permissions import may_approve, may_ask
from bot.intake.proof_policy import LookAtFiles, NotProved, WhyNot, decide_proof, refusals
from bot.model import Verdict
from bot.model.repository import Repo
from bot.reporting import simulation as said
from bot.reporting.reasons import simulation as rules
from bot.reporting.simulation import Simulated, SimulatedRule
from bot.runs.config_file import read_config
from bot.storage.stores import Stores


class Simulator:
    """Asks GitHub and the database. Every method raises `GitHubError` and `StorageError`."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        *,
        proofs: Proved,
        config: RepoConfig | None = None,
    ) -> None:
        """Describe what decisions are made with.

        Args:
            github: To ask.
            stores: What a server knows.
            proofs: Which pull requests are proved where the repo config doesn't say.
            config: In place of the repository's own.
        """
        self._github = github
        self._stores = stores
        self._proofs = proofs
        self._config = config
        self._facts = CommitFacts(github, stores)

    async def commit(self, repo: Repo, sha: str) -> tuple[Simulated, ...]:
        """Return what the checks of a commit would start.

        Raises:
            RepoConfigError: When the config can't be used.
        """
        facts = await self._github.facts(repo)
        place = await self._facts.place(repo, sha, facts)
        ref = facts.default_branch if place.pull is None else place.pull.base_ref
        return (await self._checks(repo, sha, place, await self._read(repo, ref)),)

    async def thread(self, repo: Repo, number: int, login: str) -> tuple[Simulated, ...]:
        """Return what an issue or pull request, and `/fix` on it, would start.

        Args:
            repo: Where it is.
            number: Of the issue or pull request.
            login: Who comments; "" for somebody with write access.

        Raises:
            RepoConfigError: When the config can't be used.
        """
        shown = await self._github.shown_issue(repo, number)
        facts = await self._github.facts(repo)
        thread = Thread(
            number,
            is_pull_request="pull_request" in shown,
            title=shown["title"],
            is_open=shown["state"] == "open",
            locked=shown["locked"],
        )
        # As comments are taken: who may is read from the default branch.
        default = await self._read(repo, facts.default_branch)
        command = await self._command(repo, thread, login, default)
        if not thread.is_pull_request:
            return (command,)
        pull = await self._github.pull_request(repo, number)
        config = await self._read(repo, pull.base_ref)
        place = CommitPosition(default_branch=False, pull=pull if pull.state == "open" else None)
        checks = await self._checks(repo, pull.head_sha, place, config)
        return checks, await self._proof(repo, pull, config), command

    async def _read(self, repo: Repo, ref: str) -> RepoConfig:
        return self._config or await read_config(self._github, repo, ref)

    async def _checks(
        self, repo: Repo, sha: str, place: CommitPosition, config: RepoConfig
    ) -> Simulated:
        identity = await self._github.app_identity()
        switch = await self._facts.switch(repo, place.pull)
        wishes = Wishes(config.checks, switch, us=identity.bot_login)
        screened = screening(place, wishes)
        if (passed := screen_commit(place, wishes)) is not None:
            return _passed_by(passed, _rules(screened))
        checks = await self._github.commit_checks(repo, sha)
        failed = failing(checks, config.checks, identity.slug)
        on_base = await self._facts.on_base(repo, place, config.checks) if failed else frozenset()
        standing = await self._facts.standing(repo, sha, place)
        shown = (
            *_rules({**screened, **hindrances(wishes, failed, on_base, standing)}),
            SimulatedRule(rules.NOTHING_ELSE_HERE, not standing.here),
            SimulatedRule(rules.ROOM, standing.elsewhere < config.checks.at_once),
        )
        match decide_commit(wishes, failed, on_base, standing):
            case Start(chosen):
                return _run(said.FAILED_CHECKS, [check.name for check in chosen], config, shown)
            case Wait(reason):
                return Simulated(
                    said.FAILED_CHECKS, starts=False, outcome=said.later(reason), rules=shown
                )
            case PassBy() as passed:
                return _passed_by(passed, shown)

    async def _proof(self, repo: Repo, pull: PullRequest, config: RepoConfig) -> Simulated:
        us, on = (await self._github.app_identity()).bot_login, config.proof.on or self._proofs
        refused = dict(refusals(pull, config.proof, default=self._proofs, us=us))
        decision = decide_proof(pull, config.proof, default=self._proofs, us=us)
        if isinstance(decision, LookAtFiles):
            base = await self._github.branch_head(repo, pull.base_ref)
            files = (await self._github.compared(repo, base, pull.head_sha)).files
            decision = decide_proof(pull, config.proof, default=self._proofs, us=us, files=files)
        if on == "fixes" and not any(refused.values()):
            refused[WhyNot.NO_FIX] = isinstance(decision, NotProved)
        shown = tuple(SimulatedRule(why.rule, not holds) for why, holds in refused.items())
        if isinstance(decision, NotProved):
            outcome = said.nothing(decision.why.value)
            return Simulated(said.PROOF, starts=False, outcome=outcome, rules=shown)
        return Simulated(said.PROOF, starts=True, outcome=said.PROOF_STARTS, rules=shown)

    async def _command(
        self, repo: Repo, thread: Thread, login: str, config: RepoConfig
    ) -> Simulated:
        who = config.who
        permission = await self._github.permission(repo, login) if login else Permission.ADMIN
        now = datetime.now(UTC)
        comment = EventComment(0, login, "", "/fix", None, now, now)
        event = CommentCreated(repo, thread, Sender(login, is_bot=False), comment)
        active = await self._stores.runs.active(repo, thread.number)
        latest = await self._stores.runs.latest(repo, thread.number)
        spent = latest is not None and latest.verdict is Verdict.BUDGET_SPENT
        standing = ThreadRuns(active=active[0].id if active else None, spent=spent)
        ignored = screen(event, Identity((await self._github.app_identity()).slug))
        decision = decide(
            CommandCandidate(event, Fix("")), permission=permission, who=who, standing=standing
        )
        may = may_ask(login, permission, who)
        shown = (
            SimulatedRule(rules.NOT_LOCKED, not thread.locked),
            SimulatedRule(rules.MAY_ASK, may),
            SimulatedRule(rules.NO_ACTIVE_RUN, not active),
            SimulatedRule(rules.BUDGET_LEFT, not spent or may_approve(login, permission, who)),
        )
        if ignored is None and isinstance(decision, StartRun):
            return _run(said.COMMAND, (), config, shown)
        answered = ignored is None and isinstance(decision, Refuse)
        outcome = said.REFUSED if answered else said.IGNORED
        return Simulated(said.COMMAND, starts=False, outcome=outcome, rules=shown)


def _rules(found: Mapping[Why, bool]) -> tuple[SimulatedRule, ...]:
    return tuple(SimulatedRule(why.rule, not hinders) for why, hinders in found.items())


def _passed_by(passed: PassBy, shown: tuple[SimulatedRule, ...]) -> Simulated:
    outcome = said.nothing(passed.why.sentence)
    return Simulated(said.FAILED_CHECKS, starts=False, outcome=outcome, rules=shown)


def _run(
    trigger: str, checks: Sequence[str], config: RepoConfig, shown: tuple[SimulatedRule, ...]
) -> Simulated:
    outcome = said.run_starts(
        checks, config.attempts, config.budget_usd, config.confidence, draft=config.draft
    )
    return Simulated(trigger, starts=True, outcome=outcome, rules=shown)
