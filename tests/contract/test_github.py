"""The real GitHub client against the stand-in, every exchange held to GitHub's description."""

from __future__ import annotations

import asyncio
import base64
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import aiohttp
import aiohttp.web
import pytest
from pydantic import SecretStr

from bot.config.repo_config import PATH
from bot.errors import Conflict, GitHubError, NotPermitted, RepoConfigError, RepositoryMoved
from bot.github.github import GitHub
from bot.github.refusals import GitHubRetries, Gone
from bot.github.values import FileChange, Permission, Publication
from bot.model.check_report import Annotation, CheckAction, CheckReport
from bot.model.repository import Repo
from bot.runs.config_file import read_config
from tests.fakes.github import GitHubServer, GitHubState, Issue, Repository, Trouble
from tests.fakes.github.conformance import check_event, check_exchanges

QUICK = GitHubRetries(attempts=4, first_wait=0.01, longest_wait=5.0, timeout=60.0)
FILES: dict[str, str | bytes] = {
    "README.md": "# App\n",
    "src/app.py": "print('hello')\n",
    "run.sh!": "#!/bin/sh\n",
    "old.txt": "old\n",
}
MARKER = "<!-- fixpoint:run:1f2e -->"


@dataclass
class World:
    """One repository with an issue, the App installed on it, and our client."""

    state: GitHubState
    server: GitHubServer
    session: aiohttp.ClientSession
    repository: Repository
    repo: Repo
    issue: Issue
    github: GitHub = field(init=False)

    def __post_init__(self) -> None:
        self.github = self.client()

    def client(
        self,
        *,
        patience: GitHubRetries = QUICK,
        app_id: str | None = None,
        api_url: str | None = None,
    ) -> GitHub:
        """Return another client of the same App, with nothing remembered."""
        return GitHub(
            self.session,
            app_id=app_id or str(self.state.app.id),
            private_key=SecretStr(self.state.app.private_key),
            api_url=api_url or self.server.api_url,
            web_url=self.server.web_url,
            patience=patience,
        )

    def calls(self, method: str, path: str = "") -> int:
        """Return how many such calls were answered well."""
        return sum(
            exchange.method == method
            and bool(re.search(path, exchange.path))
            and exchange.status < 300
            for exchange in self.state.exchanges
        )

    def publication(self, **changes: object) -> Publication:
        """Return a small publication."""
        parent = self.repository.git.resolve("main")
        assert parent is not None
        plain = Publication(
            branch="fixpoint/1-hello-1f2e",
            base="main",
            parent=parent,
            changes=(FileChange("src/app.py", "100644", b"print('hi')\n"),),
            commit_message="Say hi\n\nBecause.",
            title="Say hi",
            body=f"What was wrong.\n{MARKER}",
            labels=("fixpoint",),
            draft=True,
            marker=MARKER,
        )
        return replace(plain, **changes)  # type: ignore[arg-type] # fields by name

    def published(self) -> tuple[list[str], list[Issue]]:
        """Return branches but main, and pull requests."""
        names = self.repository.git.text("for-each-ref", "--format=%(refname:short)", "refs/heads")
        return [name for name in names.split() if name != "main"], self.repository.pulls()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A GitHub where `acme/app` has issue 1, and our client for it."""
    state = GitHubState(tmp_path / "github")
    repository = state.add_repository(
        "acme/app",
        FILES,
        private=True,
        roles={"ada": "admin", "mia": "maintain", "wes": "write", "tri": "triage", "rea": "read"},
    )
    state.account("stranger")
    installation = state.install("acme")
    issue = state.open_issue(repository, "rea", "It says hello", "It should say hi.")
    async with GitHubServer(state) as server, aiohttp.ClientSession() as session:
        repo = Repo("acme/app", installation.id, repository.id)
        yield World(state, server, session, repository, repo, issue)
    check_exchanges(state.exchanges)


# --- who we are, and what we may do ---


async def test_the_app_knows_itself(world: World) -> None:
    """Slug, bot login and owner come from GitHub, asked once."""
    us = await world.github.app_identity()
    assert (us.slug, us.bot_login, us.owner) == ("fixpoint", "fixpoint[bot]", "octo-org")
    await world.github.app_identity()
    assert world.calls("GET", "^/app$") == 1


async def test_tokens_can_do_no_more_than_their_use(world: World) -> None:
    """Every token names one repository and the least permissions."""
    world.state.add_repository("acme/second", FILES)
    await world.github.facts(world.repo)
    await world.github.post_comment(world.repo, 1, f"Hi {MARKER}", MARKER)
    await world.github.clone_source(world.repo)
    granted = [token.permissions for token in world.state.tokens.values()]
    assert granted == [
        {"metadata": "read", "contents": "read", "issues": "read", "pull_requests": "read"},
        {"metadata": "read", "issues": "write", "pull_requests": "write"},
        {"metadata": "read", "contents": "read"},
    ]
    assert all(token.repositories == [world.repository] for token in world.state.tokens.values())


async def test_callers_at_the_same_time_share_one_token(world: World) -> None:
    """A burst of calls mints once, and a cancelled caller does not take the others with it."""
    world.state.faults.latency = 0.05
    first = asyncio.create_task(world.github.facts(world.repo))
    rest = [asyncio.create_task(world.github.facts(world.repo)) for _ in range(5)]
    await asyncio.sleep(0.01)
    first.cancel()
    assert {facts.full_name for facts in await asyncio.gather(*rest)} == {"acme/app"}
    assert len(world.state.tokens) == 1


async def test_a_revoked_token_is_replaced_unnoticed(world: World) -> None:
    """A token that another run revoked costs one more call, not the run."""
    await world.github.facts(world.repo)
    for token in world.state.tokens.values():
        token.revoked = True
    assert (await world.github.facts(world.repo)).default_branch == "main"
    assert len(world.state.tokens) == 2


async def test_tokens_are_revoked_at_the_end(world: World) -> None:
    """After a run no token of its repository works any more; the next call mints a new one."""
    await world.github.facts(world.repo)
    await world.github.post_comment(world.repo, 1, f"Hi {MARKER}", MARKER)
    await world.github.revoke_unused(since=0.0)
    assert not any(token.revoked for token in world.state.tokens.values())
    await world.github.revoke_tokens(world.repo)
    assert all(token.revoked for token in world.state.tokens.values())
    await world.github.revoke_tokens(world.repo)
    assert (await world.github.facts(world.repo)).private


async def test_revoking_twice_or_too_late_is_fine(world: World) -> None:
    """A token that ended already is no error."""
    token = (await world.github.clone_source(world.repo)).token
    await world.github.revoke(token)
    await world.github.revoke(token)
    [revoked] = [value for value, token_state in world.state.tokens.items() if token_state.revoked]
    assert revoked == token.get_secret_value()


async def test_a_wrong_app_id_is_explained(world: World) -> None:
    """Credentials that GitHub does not accept name the settings to check."""
    with pytest.raises(NotPermitted, match="GITHUB_APP_ID"):
        await world.client(app_id="7").facts(world.repo)


async def test_a_key_that_is_no_key_is_explained(world: World) -> None:
    """A broken GITHUB_PRIVATE_KEY is named, and not shown."""
    github = GitHub(
        world.session,
        app_id="1",
        private_key=SecretStr("not-a-key-at-all"),
        api_url=world.server.api_url,
    )
    with pytest.raises(NotPermitted, match="GITHUB_PRIVATE_KEY") as caught:
        await github.app_identity()
    assert "not-a-key-at-all" not in str(caught.value)


async def test_a_missing_permission_is_named(world: World) -> None:
    """An installation without a permission says which, at the call that needs it."""
    del world.state.installations[world.repo.installation_id].permissions["checks"]
    with pytest.raises(NotPermitted, match=r"acme/app does not grant checks: write"):
        await world.github.create_check_run(world.repo, report(head_sha="main"))


# --- reading ---


async def test_facts(world: World) -> None:
    """The default branch and visibility come from the repository."""
    facts = await world.github.facts(world.repo)
    assert (facts.full_name, facts.default_branch) == ("acme/app", "main")
    assert (facts.private, facts.archived) == (True, False)


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ("acme", Permission.ADMIN),
        ("ada", Permission.ADMIN),
        ("mia", Permission.MAINTAIN),
        ("wes", Permission.WRITE),
        ("tri", Permission.TRIAGE),
        ("rea", Permission.READ),
        ("stranger", Permission.NONE),
        ("nobody-at-all", Permission.NONE),
        ("fixpoint[bot]", Permission.NONE),
    ],
)
async def test_permission(world: World, login: str, expected: Permission) -> None:
    """Roles are told apart, maintain and triage included; whoever is unknown has none."""
    assert await world.github.permission(world.repo, login) is expected


async def test_a_long_thread_is_read_whole_and_in_order(world: World) -> None:
    """Comments beyond one page arrive, oldest first."""
    for n in range(230):
        world.state.add_comment(world.issue, "ada" if n % 2 else "rea", f"comment {n}")
    issue = await world.github.issue(world.repo, 1)
    assert (issue.title, issue.author, issue.is_pull_request) == ("It says hello", "rea", False)
    assert [comment.body for comment in issue.comments] == [f"comment {n}" for n in range(230)]
    assert issue.comments[1].author_association == "COLLABORATOR"
    assert issue.url == f"{world.server.web_url}/acme/app/issues/1"


async def test_pages_are_read_behind_another_name(world: World) -> None:
    """Links to next pages name GitHub's own host, which we may reach by another one only."""
    for n in range(130):
        world.state.add_comment(world.issue, "ada", f"{n}")
    github = world.client(api_url=world.server.api_url.replace("127.0.0.1", "localhost"))
    assert len((await github.issue(world.repo, 1)).comments) == 130


async def test_a_pull_request_from_a_fork(world: World) -> None:
    """Head repository and commit of a fork are told."""
    fork = world.state.fork(world.repository, "stranger")
    head = world.state.push(fork, "patch", {"new.txt": "new"}, onto="main")
    world.state.open_pull_request(
        world.repository, "stranger", "Patch", head="patch", head_repo=fork
    )
    pull = await world.github.pull_request(world.repo, 2)
    assert (pull.is_fork, pull.head_repository, pull.head_ref) == (True, "stranger/app", "patch")
    assert (pull.head_sha, pull.base_ref) == (head, "main")
    assert (await world.github.issue(world.repo, 2)).is_pull_request


async def test_branch_head_and_its_absence(world: World) -> None:
    """A branch's commit is exact, slashes in names included; no branch is `Gone`."""
    head = world.state.push(world.repository, "feature/x", {"x": "x"})
    assert await world.github.branch_head(world.repo, "feature/x") == head
    with pytest.raises(Gone):
        await world.github.branch_head(world.repo, "feature")


async def test_messages_of_the_last_commits(world: World) -> None:
    """The whole of each, the newest first; no branch is `Gone`."""
    world.state.push(world.repository, "main", {"a": "1"}, message="fix: a\n\nBecause.")
    world.state.push(world.repository, "main", {"a": "2"}, message="feat: b")
    messages = await world.github.recent_messages(world.repo, "main")
    assert messages[:2] == ("feat: b", "fix: a\n\nBecause.")
    with pytest.raises(Gone):
        await world.github.recent_messages(world.repo, "feature")


async def test_files_are_read_whatever_they_are(world: World) -> None:
    """Bytes survive, beyond 1 MB too; what is no file is None; odd names are no trouble."""
    large = bytes(range(256)) * 5000
    world.state.push(world.repository, "main", {"large.bin": large, "a b/c?d#e%20ü.txt": b"\xff\0"})
    read = world.github.read_file
    assert await read(world.repo, "README.md", "main") == b"# App\n"
    assert await read(world.repo, "large.bin", "main") == large
    assert await read(world.repo, "a b/c?d#e%20ü.txt", "main") == b"\xff\0"
    assert await read(world.repo, "src", "main") is None
    assert await read(world.repo, "no/such/file", "main") is None
    assert await read(world.repo, "README.md", "no-such-branch") is None


async def test_the_event_loop_turns_while_a_config_is_read(world: World) -> None:
    """64 KiB of YAML can take most of a second to read."""
    odd = b"[" + b"a," * 30_000 + b"]"
    world.state.push(world.repository, "main", {PATH: odd})
    turns = 0
    reading = asyncio.create_task(read_config(world.github, world.repo, "main"))
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 60
    with pytest.raises(RepoConfigError, match="has more than 5000 values"):
        await reading


async def test_unchanged_answers_come_from_the_cache(world: World) -> None:
    """Asking again costs no rate limit: GitHub answers 304 and the body is remembered."""
    first = await world.github.issue(world.repo, 1)
    used = dict(world.state.used)
    assert await world.github.issue(world.repo, 1) == first
    asked = str(next(iter(world.state.installations)))
    assert world.state.used == used | {asked: used[asked] + 1}, "who wrote it is asked again"
    world.state.add_comment(world.issue, "ada", "news")
    assert [comment.body for comment in (await world.github.issue(world.repo, 1)).comments] == [
        "news"
    ]


# --- talking ---


async def test_reactions_land_where_they_should(world: World) -> None:
    """On the comment, or on the issue without one; twice is once."""
    comment = world.state.add_comment(world.issue, "ada", "/fix")
    for _ in range(2):
        await world.github.react(world.repo, comment_id=comment.id, issue_number=1, content="eyes")
        await world.github.react(world.repo, comment_id=None, issue_number=1, content="rocket")
    assert [reaction.content for reaction in comment.reactions] == ["eyes"]
    assert [reaction.content for reaction in world.issue.reactions] == ["rocket"]


async def test_a_comment_is_posted_once(world: World) -> None:
    """A second posting, by a new process too, finds the first one by its marker."""
    for n in range(120):
        world.state.add_comment(world.issue, "ada", f"{n}")
    posted = await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    again = await world.client().post_comment(world.repo, 1, f"On it? {MARKER}", MARKER)
    assert again == posted
    assert world.issue.comments[-1].body == f"On it. {MARKER}"
    assert len(world.issue.comments) == 121


async def test_a_marker_in_somebody_elses_comment_is_not_ours(world: World) -> None:
    """Whoever copies our marker can't stop us from answering."""
    world.state.add_comment(world.issue, "rea", f"hehe {MARKER}")
    assert await world.github.find_comment(world.repo, 1, MARKER) is None
    posted = await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    assert await world.github.find_comment(world.repo, 1, MARKER) == posted


async def test_a_comment_is_edited_in_place(world: World) -> None:
    """Progress replaces the text; a deleted comment is `Gone`."""
    posted = await world.github.post_comment(world.repo, 1, f"1 {MARKER}", MARKER)
    await world.github.edit_comment(world.repo, posted, f"2 {MARKER}")
    assert [comment.body for comment in world.issue.comments] == [f"2 {MARKER}"]
    world.issue.comments.clear()
    with pytest.raises(Gone):
        await world.github.edit_comment(world.repo, posted, "3")


async def test_a_comment_that_is_too_long_says_so(world: World) -> None:
    """GitHub's own limit comes back as a sentence."""
    with pytest.raises(Conflict, match="body is too long"):
        await world.github.post_comment(world.repo, 1, MARKER + "x" * 70000, MARKER)


@pytest.mark.parametrize("trouble", [Trouble.LOST_ANSWER, Trouble.RESET_AFTER])
async def test_a_lost_answer_leaves_one_comment(world: World, trouble: Trouble) -> None:
    """GitHub did it and the answer was lost: we look before we post again."""
    world.state.faults.add(trouble, method="POST", path="/comments$")
    posted = await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    assert [comment.id for comment in world.issue.comments] == [posted]


# --- publishing ---


async def test_publish_makes_branch_commit_and_draft(world: World) -> None:
    """One verified commit on the parent, a draft with labels, its body as given."""
    published = await world.github.publish(world.repo, world.publication())
    branches, pulls = world.published()
    assert branches == [published.branch]
    assert [(pull.number, pull.title, pull.author.login) for pull in pulls] == [
        (2, "Say hi", "fixpoint[bot]")
    ]
    assert pulls[0].pull is not None
    assert pulls[0].pull.draft
    assert [label.name for label in pulls[0].labels] == ["fixpoint"]
    assert published.url == f"{world.server.web_url}/acme/app/pull/2"
    commit = world.repository.git.commit(published.commit)
    assert commit.parents == (world.publication().parent,)
    assert (commit.author.name, commit.committer.name) == ("fixpoint[bot]", "GitHub")
    assert commit.message == "Say hi\n\nBecause."
    async with world.session.get(published.url) as page:
        assert "Say hi" in await page.text()


async def test_publish_again_changes_nothing(world: World) -> None:
    """A second publication, by a new process, makes no call that writes but the labels."""
    first = await world.github.publish(world.repo, world.publication())
    writes = world.calls("POST", "/git/|/pulls")
    assert await world.client().publish(world.repo, world.publication()) == first
    assert world.calls("POST", "/git/|/pulls") == writes
    assert len(world.published()[1]) == 1


async def test_a_branch_that_is_taken_makes_another_name(world: World) -> None:
    """Somebody's branch stays as it is; published again, nothing is there twice."""
    theirs = world.state.push(world.repository, "fix/1", {"x": "x"})
    wanted = world.publication(branch="fix/1", otherwise="fix/1-1f2e")
    first = await world.github.publish(world.repo, wanted)
    assert first.branch == "fix/1-1f2e"
    assert await world.client().publish(world.repo, wanted) == first
    branches, pulls = world.published()
    assert (branches, len(pulls)) == (["fix/1", "fix/1-1f2e"], 1)
    assert world.repository.git.resolve("fix/1") == theirs
    own = world.publication(branch="fix/2", otherwise="fix/2-1f2e", marker="<!-- another -->")
    assert (await world.github.publish(world.repo, own)).branch == "fix/2"


async def test_every_kind_of_change_survives(world: World) -> None:
    """Binary, CRLF, byte order mark, mode, link, submodule, deletion, folder for file."""
    submodule = "1234567890123456789012345678901234567890"
    changes = (
        FileChange("image.png", "100644", b"\x89PNG\r\n\x1a\n\0\xff"),
        FileChange("dos.txt", "100644", b"a\r\nb\r\n"),
        FileChange("bom.txt", "100644", b"\xef\xbb\xbfhi"),
        FileChange("empty", "100644", b""),
        FileChange("src/app.py", "100755", b"print('hi')\n"),
        FileChange("link", "120000", b"src/app.py"),
        FileChange("vendored", "160000", submodule.encode()),
        FileChange("old.txt", None),
        FileChange("old.txt/inside ü", "100644", "ü\n".encode()),
        FileChange("run.sh", None),
    )
    published = await world.github.publish(world.repo, world.publication(changes=changes))
    git = world.repository.git
    entries = {entry.path: entry for entry in git.entries(published.commit, recursive=True)}
    assert "run.sh" not in entries
    for change in changes:
        if change.mode is not None:
            assert entries[change.path].mode == change.mode
            if change.mode != "160000":
                assert git.blob(entries[change.path].sha) == change.content
    assert entries["vendored"].sha == submodule


async def test_a_patch_of_many_files_takes_few_calls(world: World) -> None:
    """A thousand text files need three trees and no blob: GitHub allows 80 writes a minute."""
    changes = tuple(FileChange(f"f/{n}.txt", "100644", f"{n}\n".encode()) for n in range(1000))
    published = await world.github.publish(world.repo, world.publication(changes=changes))
    assert world.calls("POST", "/git/trees") == 3
    assert world.calls("POST", "/git/blobs") == 0
    tree = world.repository.git.entries(f"{published.commit}:f")
    assert len(tree) == 1000


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [Trouble.LOST_ANSWER, Trouble.RESET_AFTER, Trouble.RESET])
@pytest.mark.parametrize(
    "path", ["/git/trees", "/git/commits$", "/git/refs$", "/pulls$", "/labels"]
)
async def test_a_lost_answer_leaves_one_publication(
    world: World, trouble: Trouble, path: str
) -> None:
    """Whatever answer is lost: one branch, one pull request, one commit on the parent."""
    world.state.faults.add(trouble, method="POST", path=path)
    published = await world.github.publish(world.repo, world.publication())
    branches, pulls = world.published()
    assert (branches, len(pulls)) == ([published.branch], 1)
    assert world.repository.git.count("main", published.branch) == 1
    assert world.repository.git.resolve(published.branch) == published.commit


@pytest.mark.parametrize(
    "path", ["/git/trees", "/git/commits$", "/git/refs$", "/pulls$", "/labels"]
)
async def test_a_crash_after_any_call_is_mended_by_publishing_again(
    world: World, path: str
) -> None:
    """The process ends after a call was done; another one publishes: nothing is there twice."""
    hasty = world.client(patience=replace(QUICK, attempts=1))
    world.state.faults.add(Trouble.RESET_AFTER, method="POST", path=path)
    with pytest.raises(GitHubError):
        await hasty.publish(world.repo, world.publication())
    published = await world.client().publish(world.repo, world.publication())
    branches, pulls = world.published()
    assert (branches, len(pulls)) == ([published.branch], 1)
    assert world.repository.git.count("main", published.branch) == 1


async def test_two_publishers_at_once_make_one_publication(world: World) -> None:
    """A run that two processes believe to own is published once."""
    both = [world.client().publish(world.repo, world.publication()) for _ in range(2)]
    first, second = await asyncio.gather(*both)
    branches, pulls = world.published()
    assert (branches, len(pulls)) == ([first.branch], 1)
    assert first == second


async def test_a_branch_with_something_else_is_a_conflict(world: World) -> None:
    """We never move or reuse a branch that holds another change."""
    head = world.state.push(world.repository, "fixpoint/1-hello-1f2e", {"mine": "mine"})
    with pytest.raises(Conflict, match="already exists with another commit"):
        await world.github.publish(world.repo, world.publication())
    assert world.repository.git.resolve("fixpoint/1-hello-1f2e") == head


async def test_without_drafts_the_pull_request_is_a_normal_one(world: World) -> None:
    """Plans without drafts get a normal pull request instead of none."""
    world.repository.drafts = False
    await world.github.publish(world.repo, world.publication())
    pull = world.published()[1][0].pull
    assert pull is not None
    assert not pull.draft


async def test_nothing_to_merge_is_a_conflict(world: World) -> None:
    """A publication whose base is missing says what GitHub says."""
    with pytest.raises(Conflict, match="base"):
        await world.github.publish(world.repo, world.publication(base="no-such-branch"))


async def test_workflow_files_take_a_permission_of_their_own(world: World) -> None:
    """Without it nothing is made, and it is named; no other change has a token with it."""
    change = FileChange(".github/workflows/ci.yml", "100644", b"on: push\n")
    with pytest.raises(NotPermitted, match=r"does not grant workflows: write\. Request it"):
        await world.github.publish(world.repo, world.publication(changes=(change,)))
    [installation] = world.state.installations.values()
    installation.permissions["workflows"] = "write"
    await world.github.publish(world.repo, world.publication())
    assert not any("workflows" in token.permissions for token in world.state.tokens.values())
    named = world.publication(changes=(change,), branch="fixpoint/2-ci")
    published = await world.github.publish(world.repo, named)
    assert published.branch == "fixpoint/2-ci"
    assert any("workflows" in token.permissions for token in world.state.tokens.values())


async def test_an_archived_repository_is_read_only(world: World) -> None:
    """GitHub's own words reach the person."""
    world.repository.archived = True
    with pytest.raises(NotPermitted, match="archived so is read-only"):
        await world.github.publish(world.repo, world.publication())


async def test_pull_requests_are_found(world: World) -> None:
    """A closed one too."""
    assert await world.github.find_pull_request(world.repo, "fixpoint/1-hello-1f2e") is None
    published = await world.github.publish(world.repo, world.publication())
    world.repository.issues[published.number].state = "closed"
    found = await world.github.find_pull_request(world.repo, published.branch)
    assert found is not None
    assert (found.number, found.state, found.head_sha) == (2, "closed", published.commit)


# --- checks ---


def report(**changes: object) -> CheckReport:
    """Return a check run in progress."""
    plain = CheckReport(
        name="Fixpoint",
        head_sha="",
        external_id="run-1f2e",
        status="in_progress",
        title="Reproducing",
        summary="Running `pytest`.",
    )
    return replace(plain, **changes)  # type: ignore[arg-type] # fields by name


async def test_a_check_run_is_created_once_and_completed(world: World) -> None:
    """The run's id finds it again; annotations beyond fifty arrive in parts."""
    running = report(head_sha=world.publication().parent)
    check_run = await world.github.create_check_run(world.repo, running)
    assert await world.client().create_check_run(world.repo, running) == check_run
    remarks = tuple(
        Annotation("src/app.py", n, n, "failure", f"line {n}", "Why") for n in range(1, 121)
    )
    done = replace(
        running,
        status="completed",
        conclusion="failure",
        text="More.",
        annotations=remarks,
        actions=(CheckAction("retry", "Retry", "Try once more"),),
        details_url="https://fixpoint.example/runs/1f2e",
    )
    await world.github.update_check_run(world.repo, check_run, done)
    run = world.repository.check_runs[check_run]
    assert (run.fields["status"], run.fields["conclusion"]) == ("completed", "failure")
    assert [annotation["start_line"] for annotation in run.annotations] == list(range(1, 121))
    assert len(world.repository.check_runs) == 1


# --- bad days ---


@pytest.mark.slow
@pytest.mark.parametrize(
    "trouble", [Trouble.NOT_FOUND, Trouble.CONFLICT, Trouble.INVALID, Trouble.UNAUTHORIZED]
)
@pytest.mark.parametrize("path", ["/comments$", "/git/refs$", "/pulls$"])
async def test_a_lone_no_to_a_write_is_not_believed(
    world: World, trouble: Trouble, path: str
) -> None:
    """GitHub does not see everywhere at once what it has just made; twice it may say so."""
    world.state.faults.add(trouble, times=2, method="POST", path=path)
    await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    published = await world.github.publish(world.repo, world.publication())
    branches, pulls = world.published()
    assert (branches, len(pulls)) == ([published.branch], 1)
    assert len(world.issue.comments) == 1


async def test_what_is_missing_is_asked_for_once(world: World) -> None:
    """A file that is not there is a common answer."""
    before = len(world.state.exchanges)
    assert await world.github.read_file(world.repo, "nowhere.txt", "main") is None
    asked = [exchange for exchange in world.state.exchanges if "nowhere" in exchange.path]
    assert len(asked) == 1
    assert len(world.state.exchanges) - before == 2  # and a token


async def test_an_answer_that_ends_too_early_is_a_lost_one(world: World) -> None:
    """What was asked may be done: we look before we post again."""
    world.state.faults.add(Trouble.TRUNCATED, method="POST", path="/comments$")
    world.state.faults.add(Trouble.TRUNCATED, method="GET", path="/comments")
    await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    assert len(world.issue.comments) == 1


@pytest.mark.parametrize("minutes", [10, -15])
async def test_a_clock_that_is_wrong_does_not_lock_us_out(world: World, minutes: int) -> None:
    """GitHub refuses the App's own tokens by its own clock, and tells the time with each answer."""
    world.state.advance(60 * minutes)
    assert (await world.github.facts(world.repo)).full_name == "acme/app"


async def test_nothing_is_written_by_whoever_may_not_any_more(world: World) -> None:
    """Also where that is lost between the decision and the first byte, as by a stall."""
    may, asked = asyncio.Event(), asyncio.Event()
    times = 0

    async def may_write() -> None:
        nonlocal times
        times += 1
        if times == 2:
            asked.set()
            await may.wait()

    github = GitHub(
        world.session,
        app_id=str(world.state.app.id),
        private_key=SecretStr(world.state.app.private_key),
        api_url=world.server.api_url,
        web_url=world.server.web_url,
        patience=QUICK,
        may_write=may_write,
    )
    posting = asyncio.create_task(github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER))
    await asked.wait()
    await world.github.facts(world.repo)  # GitHub had time to hear of it
    assert world.issue.comments == []
    may.set()
    await posting
    assert len(world.issue.comments) == 1


async def test_a_renamed_repository_is_found_again(world: World) -> None:
    """It is asked for by its id; a token of the installation that it left is told where it is."""
    world.state.rename(world.repository, "acme/tool")
    world.state.install("zeta")
    assert (await world.github.facts(world.repo)).full_name == "acme/tool"
    await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    world.state.rename(world.repository, "zeta/tool")  # transferred, with another installation
    fresh = world.client()
    with pytest.raises(RepositoryMoved):
        await fresh.facts(world.repo)
    assert (await fresh.facts(world.repo)).full_name == "zeta/tool"
    assert len(world.issue.comments) == 1


async def test_a_token_from_before_the_rename_is_led_on(world: World) -> None:
    """For an hour it is good for the repository, and GitHub redirects reads and writes."""
    await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    world.state.rename(world.repository, "acme/tool")
    other = MARKER.replace("run", "another-run")
    await world.github.post_comment(world.repo, 1, f"Done. {other}", other)
    assert len(world.issue.comments) == 2


@pytest.mark.parametrize("trouble", [Trouble.BAD_GATEWAY, Trouble.RESET, Trouble.LOST_ANSWER])
async def test_reading_survives_bad_gateways(world: World, trouble: Trouble) -> None:
    """Server errors and cut connections are tried again."""
    world.state.faults.add(trouble, times=3)
    assert (await world.github.facts(world.repo)).full_name == "acme/app"


@pytest.mark.parametrize(
    "trouble", [Trouble.SECONDARY_LIMIT, Trouble.TOO_MANY, Trouble.PRIMARY_LIMIT]
)
async def test_rate_limits_are_waited_out(world: World, trouble: Trouble) -> None:
    """A limit refuses before anything is done, so even a posting is safe to repeat."""
    world.state.faults.add(trouble, times=1, method="POST", path="/comments$")
    await world.github.post_comment(world.repo, 1, f"On it. {MARKER}", MARKER)
    assert len(world.issue.comments) == 1


async def test_a_limit_beyond_our_patience_is_told(world: World) -> None:
    """Nobody waits for an hour in silence."""
    world.state.faults.add(Trouble.PRIMARY_LIMIT, path="^/repos", seconds=3000)
    with pytest.raises(GitHubError, match=r"rate limit blocks GET /repos/acme/app for another 30"):
        await world.github.facts(world.repo)


async def test_nothing_is_asked_while_the_limit_is_used_up(world: World) -> None:
    """Insisting gets an App banned: after the last allowed call we stay silent."""
    reservations = str(world.repo.installation_id)
    world.state.used[reservations] = 4999
    hasty = world.client(patience=replace(QUICK, longest_wait=0.0))
    await hasty.facts(world.repo)
    with pytest.raises(GitHubError, match="rate limit blocks"):
        await hasty.facts(world.repo)
    assert world.state.used[reservations] == 5000


async def test_an_outage_is_told_in_a_sentence(world: World) -> None:
    """After the retries: the call, the status, what to look at."""
    world.state.faults.add(Trouble.BAD_GATEWAY, times=99, path="^/repos")
    with pytest.raises(
        GitHubError, match=r"GET /repos/acme/app with status 502\. Check https://www"
    ):
        await world.github.facts(world.repo)


async def test_something_that_is_not_github_is_told(world: World) -> None:
    """A proxy's login page at GITHUB_API_URL is named as such."""
    world.state.faults.add(Trouble.NOT_JSON, path="^/app$")
    with pytest.raises(GitHubError, match=r"is not from GitHub's API\. Check GITHUB_API_URL"):
        await world.github.app_identity()


async def test_an_unreachable_server_is_told(world: World, unused_tcp_port: int) -> None:
    """A wrong address is named, and the App's key is not."""
    github = GitHub(
        world.session,
        app_id="1",
        private_key=SecretStr(world.state.app.private_key),
        api_url=f"http://127.0.0.1:{unused_tcp_port}/api/v3",
        patience=replace(QUICK, attempts=2),
    )
    with pytest.raises(GitHubError, match="Could not reach GitHub for GET /app"):
        await github.app_identity()


async def test_no_error_shows_a_credential(world: World) -> None:
    """Neither token nor key is in any error, its causes included."""
    world.state.faults.add(Trouble.RESET, times=99, path="/comments")
    with pytest.raises(GitHubError) as caught:
        await world.github.post_comment(world.repo, 1, MARKER, MARKER)
    shown = ""
    error: BaseException | None = caught.value
    while error is not None:
        shown += f"{error!r} {error} {getattr(error, 'request_info', '')}"
        error = error.__cause__ or error.__context__
    assert not re.search(r"ghs_|eyJ|PRIVATE KEY", shown)


# --- git ---


async def test_the_source_can_be_cloned_and_not_pushed(world: World, tmp_path: Path) -> None:
    """The clone token reads the private repository, writes nothing, and ends with `revoke`."""
    url, token = await world.github.clone_source(world.repo)
    target = tmp_path / "clone"
    assert await git(tmp_path, token, "clone", "-q", url, str(target)) == 0
    assert (target / "src/app.py").read_text() == FILES["src/app.py"]
    assert await git(target, token, "push", "-q", "origin", "HEAD:refs/heads/evil") != 0
    await world.github.revoke(token)
    assert await git(target, token, "fetch", "-q", "origin") != 0


async def test_any_commit_of_a_pull_request_can_be_fetched(world: World, tmp_path: Path) -> None:
    """A fork's head is fetched from the base repository, by number and by commit."""
    fork = world.state.fork(world.repository, "stranger")
    head = world.state.push(fork, "patch", {"new.txt": "new"}, onto="main")
    world.state.open_pull_request(
        world.repository, "stranger", "Patch", head="patch", head_repo=fork
    )
    url, token = await world.github.clone_source(world.repo)
    assert await git(tmp_path, token, "init", "-q", "w") == 0
    assert await git(tmp_path / "w", token, "fetch", "-q", "--depth=1", url, head) == 0
    assert await git(tmp_path / "w", token, "fetch", "-q", url, "refs/pull/2/head") == 0


async def git(folder: Path, token: SecretStr, *args: str) -> int:
    """Run git with the token as GitHub takes it and return the exit status."""
    password = base64.b64encode(f"x-access-token:{token.get_secret_value()}".encode()).decode()
    process = await asyncio.create_subprocess_exec(
        "git",
        *args,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {password}",
        },
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()


# --- webhooks ---


class Hook:
    """Notes deliveries and answers with `status`."""

    def __init__(self) -> None:
        self.status = 202
        self.seen: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue()
        self.url = ""

    async def start(self) -> None:
        app = aiohttp.web.Application()
        app.router.add_post("/webhook", self._take)
        self._runner = aiohttp.web.AppRunner(app)
        await self._runner.setup()
        await aiohttp.web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/webhook"

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _take(self, request: aiohttp.web.Request) -> aiohttp.web.Response:
        payload = await request.json()
        kind = request.headers["X-GitHub-Event"]
        author = payload["comment"]["user"]["login"]
        await self.seen.put((request.headers["X-GitHub-Delivery"], kind, author))
        return aiohttp.web.Response(status=self.status)


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    """A webhook receiver."""
    receiver = Hook()
    await receiver.start()
    yield receiver
    await receiver.stop()


async def test_missed_deliveries_are_found_and_sent_again(world: World, hook: Hook) -> None:
    """What our server refused comes again, once, under the same guid."""
    world.server.webhook_url = hook.url
    start = world.state.now()
    hook.status = 503
    lost = await world.server.deliver(world.server.comment(world.issue, "ada", "/fix"))
    hook.status = 202
    await world.server.deliver(world.server.comment(world.issue, "ada", "/fix status"))
    missed = await world.github.missed_deliveries(start)
    assert [(attempt.guid, attempt.event, attempt.action) for attempt in missed] == [
        (lost.guid, "issue_comment", "created")
    ]
    assert await world.github.missed_deliveries(start + timedelta(hours=1)) == ()
    await world.github.redeliver(missed[0].id)
    async with asyncio.timeout(600):
        guids = [(await hook.seen.get())[0] for _ in range(3)]
    assert guids[2] == lost.guid
    await world.server.settled()
    assert await world.github.missed_deliveries(start) == ()


async def test_our_own_comments_come_back_as_webhooks(world: World, hook: Hook) -> None:
    """As on GitHub, what the App does is delivered to it, with the bot as sender."""
    world.server.webhook_url = hook.url
    await world.github.post_comment(world.repo, 1, f"/fix {MARKER}", MARKER)
    async with asyncio.timeout(600):
        _, kind, author = await hook.seen.get()
    assert (kind, author) == ("issue_comment", "fixpoint[bot]")


def test_payloads_are_as_github_describes(tmp_path: Path) -> None:
    """Every webhook of the stand-in has the shape that GitHub publishes."""
    state = GitHubState(tmp_path)
    repository = state.add_repository("acme/app", FILES)
    state.install("acme")
    server = GitHubServer(state)
    server.at("http://127.0.0.1:1")
    issue = state.open_issue(repository, "ada", "Title", "Body")
    created = server.comment(issue, "ada", "/fix")
    edited = server.edit(issue, issue.comments[0], "/fix now")
    state.push(repository, "patch", {"a": "b"})
    pull = state.open_pull_request(repository, "ada", "Patch", head="patch")
    events = [
        created,
        edited,
        server.event(issue),
        server.event(pull),
        server.installed("acme"),
        server.ping(),
    ]
    for event in events:
        check_event(event)
    assert edited.payload["changes"] == {"body": {"from": "/fix"}}
