"""What GitHub knows, and how people change it. No HTTP in here."""

from __future__ import annotations

import hashlib
import itertools
import secrets
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from tests.fakes.github.ci_state import ContinuousIntegration
from tests.fakes.github.faults import Faults
from tests.fakes.github.model import (
    GRANTED,
    TOKEN_LIFE,
    Account,
    App,
    Branches,
    Comment,
    Delivery,
    Event,
    Exchange,
    Grant,
    Installation,
    Issue,
    Label,
    Reaction,
    Repository,
    Role,
    Token,
    UserToken,
)
from tests.fakes.github.repository import BareRepository, Signature

HISTORY = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When people's first commit was made, so that the same history has the same ids every time."""


class GitHubState:
    """All of GitHub, kept under one folder; the bare repositories below it are real."""

    def __init__(
        self,
        root: Path,
        *,
        slug: str = "fixpoint",
        app_owner: str = "octo-org",
        history: datetime = HISTORY,
    ) -> None:
        self.root = root
        self.faults = Faults()
        self.exchanges: deque[Exchange] = deque(maxlen=10_000)
        self.accounts: dict[str, Account] = {}
        self.repositories: dict[str, Repository] = {}
        self.old_names: dict[str, Repository] = {}
        """Names that repositories had before, from which GitHub leads on."""
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.grants: dict[str, Grant] = {}
        """What people allowed the App, by code, until it is used."""
        self.user_tokens: dict[str, UserToken] = {}
        self.deliveries: list[Delivery] = []
        self.redeliveries: list[Delivery] = []
        """Deliveries that the App asked to have tried again, not done yet."""
        self.manifests: dict[str, dict[str, Any]] = {}
        """Manifests of Apps that were created and not fetched yet, by code."""
        self.storage: dict[str, bytes] = {}
        self.lfs_asked: list[str] = []
        """Files that a signed address leads to, by name."""
        self.outbox: list[Event] = []
        """Events that the App itself caused, not delivered yet."""
        self.used: dict[str, int] = {}
        """Calls of the current hour by credential."""
        self.calls_allowed = 5000
        """Calls of each credential in an hour."""
        self.writes_allowed: tuple[int, float] | None = None
        """Calls of an installation that change something, and in how many seconds; None: any."""
        self.refused_writes = 0
        """Calls that were refused for that."""
        self.ci = ContinuousIntegration(self)
        self._ids = itertools.count(1001)
        self._pushes = itertools.count()
        self._later = timedelta()
        self._history = history
        self.app = App(
            id=self.next_id(),
            client_id="Iv23liFixpointStandIn",
            slug=slug,
            owner=self.account(app_owner, kind="Organization"),
            bot=self.account(f"{slug}[bot]", kind="Bot"),
            webhook_secret=secrets.token_hex(16),
            created_at=self.now(),
        )

    # --- time and names ---

    def next_id(self) -> int:
        """Return an id that nothing else has."""
        return next(self._ids)

    def now(self) -> datetime:
        """Return GitHub's time, in whole seconds as its API shows it."""
        return (datetime.now(UTC) + self._later).replace(microsecond=0)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._later += timedelta(seconds=seconds)

    def account(
        self, login: str, *, kind: Literal["User", "Organization", "Bot"] = "User"
    ) -> Account:
        """Return the account, creating it at first use."""
        if login not in self.accounts:
            self.accounts[login] = Account(self.next_id(), login, kind)
        return self.accounts[login]

    # --- repositories ---

    def add_repository(
        self,
        full_name: str,
        files: Mapping[str, str | bytes] | None = None,
        *,
        source: Path | None = None,
        default_branch: str = "main",
        private: bool = False,
        drafts: bool = True,
        roles: Mapping[str, Role] | None = None,
    ) -> Repository:
        """Create a repository with one commit of `files`, or with what `source` has.

        A `source` that is a git repository brings its history; another folder becomes one commit.
        """
        owner, _, name = full_name.partition("/")
        number = self.next_id()
        taken = (self.root / f"{full_name}.git").exists()  # by one that had the name before
        folder = f"{full_name}~{number}.git" if taken else f"{full_name}.git"
        git = BareRepository.create(self.root / folder, default_branch)
        repo = Repository(
            id=number,
            owner=self.account(owner),
            name=name,
            git=git,
            default_branch=default_branch,
            created_at=self.now(),
            private=private,
            drafts=drafts,
            roles={self.account(login).login: role for login, role in (roles or {}).items()},
        )
        self.repositories[full_name] = repo
        if source is not None and (source / ".git").exists():
            git.fetch(source, f"+HEAD:refs/heads/{default_branch}")
        elif source is not None:
            self._commit(repo, default_branch, git.write_folder(source), None, "Initial commit")
        elif files is not None:
            self.push(repo, default_branch, files, message="Initial commit")
        return repo

    def repository_named(self, full_name: str) -> Repository | None:
        """Return the repository of a name, whatever its case."""
        wanted = full_name.lower()
        return next(
            (
                repository
                for name, repository in self.repositories.items()
                if name.lower() == wanted
            ),
            None,
        )

    def repository_of(self, number: str) -> Repository | None:
        """Return the repository of that id."""
        return next(
            (
                repository
                for repository in self.repositories.values()
                if str(repository.id) == number
            ),
            None,
        )

    def rename(self, repo: Repository, full_name: str) -> None:
        """Give a repository another name, or another owner."""
        self.old_names[repo.full_name] = self.repositories.pop(repo.full_name)
        owner, _, repo.name = full_name.partition("/")
        repo.owner = self.account(owner)
        self.repositories[repo.full_name] = repo

    def delete(self, repo: Repository) -> None:
        """Delete a repository: its names lead nowhere from then on."""
        del self.repositories[repo.full_name]
        self.old_names = {
            name: repository
            for name, repository in self.old_names.items()
            if repository is not repo
        }

    def push(
        self,
        repo: Repository,
        branch: str,
        files: Mapping[str, str | bytes | None],
        *,
        message: str = "Change files",
        author: str | None = None,
        onto: str | None = None,
    ) -> str:
        """Commit files (None deletes; a `!` suffix makes executable) to a branch.

        A new branch starts at `onto`, a branch or commit, or at the default branch.
        """
        git = repo.git
        parent = git.reference(f"refs/heads/{branch}") or git.resolve(onto or repo.default_branch)
        tree = git.write_tree(f"{parent}^{{tree}}" if parent else None, self._staged(git, files))
        return self._commit(repo, branch, tree, parent, message, author)

    def merge(self, issue: Issue, author: str) -> str:
        """Squash a pull request into one commit on its base, and close it; return the commit.

        As GitHub does it, its title is the subject.
        """
        assert issue.pull is not None
        repo, base = issue.repo, issue.pull.base_ref
        head = repo.git.reference(f"refs/pull/{issue.number}/head")
        onto = repo.git.reference(f"refs/heads/{base}")
        assert head is not None
        assert onto is not None
        tree = repo.git.text("merge-tree", "--write-tree", onto, head)
        message = f"{issue.title} (#{issue.number})"
        issue.pull.merge_commit = self._commit(repo, base, tree, onto, message, author)
        issue.state, issue.updated_at = "closed", self.now()
        return issue.pull.merge_commit

    def add_lfs(self, repo: Repository, content: bytes, *, stored: bytes | None = None) -> str:
        """Keep an object in LFS, as `stored` if that is another one; return its pointer."""
        oid = hashlib.sha256(content).hexdigest()
        repo.lfs[oid] = ""
        self.storage[f"lfs-{oid}"] = content if stored is None else stored
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
        )

    def link(self, repo: Repository, branch: str, commits: Mapping[str, str]) -> str:
        """Commit submodules to a branch: commits of other repositories by path."""
        parent = repo.git.reference(f"refs/heads/{branch}")
        entries = [("160000", commit, path) for path, commit in commits.items()]
        tree = repo.git.write_tree(f"{parent}^{{tree}}", entries)
        return self._commit(repo, branch, tree, parent, "Link submodules")

    def _commit(
        self,
        repo: Repository,
        branch: str,
        tree: str,
        parent: str | None,
        message: str,
        author: str | None = None,
    ) -> str:
        account = self.account(author) if author else repo.owner
        who = replace(
            self.signature(account), when=self._history + timedelta(minutes=next(self._pushes))
        )
        commit = repo.git.write_commit(tree, [parent] if parent else [], message, who, who)
        repo.git.set_reference(f"refs/heads/{branch}", commit)
        self.refresh_pull_heads(repo)
        return commit

    @staticmethod
    def _staged(
        git: BareRepository, files: Mapping[str, str | bytes | None]
    ) -> list[tuple[str, str | None, str]]:
        given = {path: content for path, content in files.items() if content is not None}
        contents = [item.encode() if isinstance(item, str) else item for item in given.values()]
        written = dict(zip(given, git.write_blobs(contents), strict=True))
        return [
            (
                "100755" if path.endswith("!") else "100644",
                written.get(path),
                path.removesuffix("!"),
            )
            for path in files
        ]

    def signature(self, account: Account) -> Signature:
        """Return how an account signs its commits now."""
        email = f"{account.id}+{account.login}@users.noreply.github.com"
        return Signature(account.login, email, self.now())

    def fork(self, repo: Repository, owner: str) -> Repository:
        """Return a fork with all branches."""
        fork = self.add_repository(
            f"{owner}/{repo.name}", default_branch=repo.default_branch, private=repo.private
        )
        fork.git.fetch(repo.git.path, "+refs/heads/*:refs/heads/*")
        fork.parent = repo
        return fork

    def refresh_pull_heads(self, repo: Repository) -> None:
        """Point `refs/pull/N/head` at the heads of open pull requests that `repo` feeds."""
        for target in self.repositories.values():
            for issue in target.pulls():
                if issue.state == "open" and issue.pull and issue.pull.head_repo is repo:
                    self.point_pull_head(issue)

    def point_pull_head(self, issue: Issue) -> None:
        """Make the head of a pull request, from a fork or not, available in its repository."""
        pull = issue.pull
        if pull is None or pull.head_repo is None:
            return
        source = pull.head_repo.git
        head = source.reference(f"refs/heads/{pull.head_ref}")
        if head is None:
            return
        if pull.head_repo is not issue.repo:
            issue.repo.git.fetch(source.path, f"+refs/heads/{pull.head_ref}:refs/pull/fork")
            issue.repo.git.delete_reference("refs/pull/fork")
        issue.repo.git.set_reference(f"refs/pull/{issue.number}/head", head)

    # --- conversations ---

    def open_issue(
        self, repo: Repository, author: str | Account, title: str, body: str | None = None
    ) -> Issue:
        """Open an issue."""
        account = self.account(author) if isinstance(author, str) else author
        number = len(repo.issues) + 1
        now = self.now()
        issue = Issue(self.next_id(), repo, number, title, body, account, now, now)
        issue.by_app = account is self.app.bot
        repo.issues[number] = issue
        return issue

    def open_pull_request(
        self,
        repo: Repository,
        author: str | Account,
        title: str,
        *,
        head: str,
        base: str | None = None,
        body: str | None = None,
        head_repo: Repository | None = None,
        draft: bool = False,
        maintainer_can_modify: bool = False,
    ) -> Issue:
        """Open a pull request from a branch of the repository, or of a fork."""
        issue = self.open_issue(repo, author, title, body)
        issue.pull = Branches(
            id=self.next_id(),
            head_repo=head_repo or repo,
            head_ref=head,
            base_ref=base or repo.default_branch,
            draft=draft,
            maintainer_can_modify=maintainer_can_modify,
        )
        self.point_pull_head(issue)
        return issue

    def add_comment(self, issue: Issue, author: str | Account, body: str) -> Comment:
        """Write a comment."""
        account = self.account(author) if isinstance(author, str) else author
        now = self.now()
        comment = Comment(self.next_id(), account, body, now, now)
        comment.by_app = account is self.app.bot
        issue.comments.append(comment)
        issue.updated_at = now
        return comment

    def edit_comment(self, comment: Comment, body: str, by: str | Account | None) -> None:
        """Replace a comment's text; None is an account that was deleted since."""
        comment.history.append(comment.body)
        comment.body = body
        comment.editor = self.account(by) if isinstance(by, str) else by
        comment.edited_at = comment.updated_at = self.now()

    def edit_description(self, issue: Issue, body: str, by: str) -> None:
        """Replace the text of an issue or pull request."""
        issue.body, issue.editor = body, self.account(by)
        issue.edited_at = issue.updated_at = self.now()

    def react(self, to: Issue | Comment, user: Account, content: str) -> tuple[Reaction, bool]:
        """Return the account's reaction of that kind and whether it is new."""
        for reaction in to.reactions:
            if reaction.user is user and reaction.content == content:
                return reaction, False
        reaction = Reaction(self.next_id(), user, content, self.now())
        to.reactions.append(reaction)
        return reaction, True

    def label(self, repo: Repository, name: str) -> Label:
        """Return a label, made at first use; names differ by more than case."""
        return repo.labels.setdefault(name.lower(), Label(self.next_id(), name))

    def find_comment(self, repo: Repository, comment_id: int) -> tuple[Issue, Comment] | None:
        """Return a comment and the issue that it stands under."""
        for issue in repo.issues.values():
            for comment in issue.comments:
                if comment.id == comment_id:
                    return issue, comment
        return None

    # --- the App ---

    def install(
        self,
        account: str,
        *,
        repositories: list[Repository] | None = None,
        permissions: Mapping[str, str] = GRANTED,
    ) -> Installation:
        """Install the App on an account, for all or for some of its repositories."""
        installation = Installation(
            id=self.next_id(),
            account=self.account(account),
            permissions=dict(permissions),
            created_at=self.now(),
            selected=repositories,
        )
        self.installations[installation.id] = installation
        return installation

    def installation_of(self, repo: Repository) -> Installation | None:
        """Return the installation that covers a repository."""
        return next(
            (
                installation
                for installation in self.installations.values()
                if installation.covers(repo)
            ),
            None,
        )

    def mint(
        self,
        installation: Installation,
        permissions: Mapping[str, str],
        repositories: list[Repository] | None,
    ) -> Token:
        """Return a new token, good for an hour."""
        token = Token(
            value=f"ghs_{secrets.token_hex(18)}",
            installation=installation,
            permissions={"metadata": "read", **permissions},
            repositories=repositories,
            expires_at=self.now() + TOKEN_LIFE,
        )
        self.tokens[token.value] = token
        return token
