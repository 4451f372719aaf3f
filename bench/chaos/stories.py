"""What people ask for while the servers die: each story has a repository of its own."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tests.fakes.github import Event, GitHubServer
from tests.fakes.model import ModelServer, Request, Step
from tests.flows.world import CONFIG, FILES, FIX, RIGHT, WHY, WRONG, Scene, bash

_SHARED_ACCOUNT = re.compile(r"(\| (?:installation|server) [^|\n]* \|) \$\S+ \| \$\S+ \| \$\S+ \|")
"""A line of the table of money: spent, reserved and left, also by the runs of others."""

_PASSING_NOTE = re.compile(
    r"^- (.* It answered on try \d+|The environment of [0-9a-f]+ is reused .*)\.\n", re.MULTILINE
)
"""What a report says of the weather: a service failed at first, a server took a run over."""

_NUMBER = re.compile(r"story-(\d+)")

CHECK = """\
#!/bin/sh
# Fails unless app.txt says right; names what fails as pytest would.
grep -qx right app.txt && exit 0
echo "FAILED checks.sh::{name} - app.txt says $(cat app.txt)"
exit 1
"""

AGENT = f"{CONFIG}proposers: [agent]\n"
BY_CHECKS = f"{AGENT}checks: {{settle: 0, auto: default-branch}}\n"

RISKY: list[Step] = [FIX, bash("echo left-pad >> requirements.txt"), WHY]


class Plot(StrEnum):
    """How a story goes."""

    FIXED = "an issue that is fixed"
    MOVED = "an issue that is fixed while people push"
    GAVE_UP = "an issue that is not fixed"
    APPROVED = "a patch that waits for a person"
    CHECKED = "a failed check"
    STRANGER = "a stranger's command"
    HELPED = "a question"


_TURNS: Mapping[Plot, Sequence[Step]] = {
    Plot.FIXED: RIGHT,
    Plot.MOVED: RIGHT,
    Plot.GAVE_UP: WRONG,
    Plot.APPROVED: RISKY,
    Plot.CHECKED: RIGHT,
}

_WAITS = "is waiting for approval"


@dataclass(eq=False)
class Story:
    """One of them.

    Attributes:
        number: That no other has.
        plot: How it goes.
        scene: Its repository, with its first issue.
        asked: How often the model answered each turn.
        answered: Whether a person has answered what we asked.
    """

    number: int
    plot: Plot
    scene: Scene
    asked: Counter[int] = field(default_factory=Counter)
    answered: bool = False

    @property
    def name(self) -> str:
        """How the model and people call it."""
        return f"story-{self.number}"

    def begin(self) -> list[Event]:
        """Let somebody ask, and return the webhooks of it."""
        scene = self.scene
        match self.plot:
            case Plot.CHECKED:
                return self._check_ends()
            case Plot.STRANGER:
                return [scene.github.comment(scene.issue, "rea", "/fix")]
            case Plot.HELPED:
                return [scene.github.comment(scene.issue, "ada", "/fix help")]
            case Plot.GAVE_UP:
                return [scene.github.comment(scene.issue, "ada", "/fix --attempts 1")]
            case _:
                return [scene.github.comment(scene.issue, "ada", "/fix")]

    def _check_ends(self) -> list[Event]:
        scene, ci = self.scene, self.scene.state.ci
        sha = scene.repository.git.resolve("main")
        assert sha is not None
        run = ci.workflow_run(scene.repository, sha, "main")
        check = ci.job(scene.repository, run, "test", conclusion="failure")
        return scene.github.check_events(scene.repository, check)

    def go_on(self) -> list[Event]:
        """Let people answer what they were asked, and return the webhooks of it."""
        texts = [comment.body for comment in self.scene.issue.comments if _WAITS in comment.body]
        if self.plot is not Plot.APPROVED or self.answered or not texts:
            return []
        self.answered = True
        [answer] = re.findall(r"/fix approve [0-9a-f]+", texts[0])
        return [self.scene.github.comment(self.scene.issue, "ada", answer)]

    def turn(self, number: int) -> Step:
        """Answer the model's turn, and let happen what happens meanwhile."""
        self.asked[number] += 1
        if self.plot is Plot.MOVED and number == 2 and self.asked[number] == 1:
            self.scene.state.push(self.scene.repository, "main", {"other.txt": "new\n"})
        turns = _TURNS[self.plot]
        return turns[min(number, len(turns)) - 1]

    def picture(self) -> str:
        """Return all that people see of it on GitHub, with what differs from run to run levelled."""
        scene, parts = self.scene, list[str]()
        for thread in scene.repository.issues.values():
            parts.append(f"# {thread.number}: {thread.title} ({thread.state})")
            if thread.pull is not None:
                pull, git = thread.pull, scene.repository.git
                draft = "draft " if pull.draft else ""
                labels = sorted(label.name for label in thread.labels)
                commits = git.count(pull.base_ref, pull.head_ref)
                parts.append(f"{draft}{scene.level(pull.head_ref)} -> {pull.base_ref} {labels}")
                parts.append(f"{commits} commits; {scene.file('app.txt', pull.head_ref)}")
                parts.append(thread.body or "")
            for comment in thread.comments:
                parts.append(f"## {comment.author.login}: {scene.reactions(comment)}")
                parts.append(comment.body)
        for check in scene.repository.check_runs.values():
            if not check.app:
                fields = check.fields
                end = fields.get("conclusion", fields["status"])
                parts.append(f"## {fields['name']}: {end}: {fields['output']['title']}")
                parts.append(fields["output"]["summary"])
        branches = [scene.level(branch) for branch in scene.repository.git.branches()]
        return self._level("\n".join([*parts, f"branches: {sorted(branches)}"]))

    def _level(self, text: str) -> str:
        """Level besides what tells the stories apart, and what others do to accounts they share."""
        repository = self.scene.repository
        text = text.replace(repository.full_name, "acme/app").replace(
            f"`{repository.name}@", "`app@"
        )
        text = re.sub(r"/runs/\d+\b", "/runs/N", text)
        text = self.scene.level(text).replace(self.name, "story-N")
        text = _PASSING_NOTE.sub("", text).replace("### Notes\n\n- Run ", "Run ")
        return _SHARED_ACCOUNT.sub(r"\1 $0.N | $R | $N.N |", text)


class Stories:
    """All stories over one GitHub and one model."""

    def __init__(self, github: GitHubServer) -> None:
        self.github = github
        self.model: ModelServer | None = None
        self.told: dict[int, Story] = {}
        github.state.install("acme")

    def add(self, plot: Plot) -> Story:
        """Make the repository and the issue of one more story."""
        number, state = len(self.told) + 1, self.github.state
        files: dict[str, str | bytes] = {
            **FILES,
            ".github/fixpoint.yml": AGENT,
            "check.sh": CHECK.replace("{name}", f"story-{number}"),
        }
        if plot is Plot.APPROVED:
            files["requirements.txt"] = "flask\n"
        if plot is Plot.CHECKED:
            files[".github/fixpoint.yml"] = BY_CHECKS
        repository = state.add_repository(
            f"acme/app-{number}", files, roles={"ada": "admin", "rea": "read"}
        )
        words = f"It should say right (story-{number})."
        issue = state.open_issue(repository, "rea", "The app says wrong", words)
        scene = Scene(state, self.github, self.model, repository, issue)
        story = self.told[number] = Story(number, plot, scene)
        return story

    async def script(self, request: Request) -> Step:
        """Answer whatever story the request is about."""
        found = _NUMBER.search(request.text)
        assert found is not None, request.text
        story = self.told[int(found[1])]
        return await asyncio.to_thread(story.turn, request.turn)
