"""Read the workflows and composite actions of other repositories that a workflow run used."""

from __future__ import annotations

from collections.abc import Iterable

from bot.ci.workflow.actions import is_known
from bot.ci.workflow.spec.called import (
    ActionOfRepository,
    WorkflowOfRepository,
    actions_named,
    is_composite,
)
from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.github.jobs import ReferencedWorkflow, WorkflowFacts
from bot.model.repository import Repo
from bot.reporting.reasons import job_target

_MOST_CALLED = 20
"""Reusable workflows; GitHub's own limit for one run."""

_MOST_ACTIONS = 10
"""Of one commit: GitHub answers strangers 60 times an hour, and an action may take two questions."""


class FilesElsewhere:
    """Asks for what anybody may read, each file once."""

    def __init__(self, github: GitHub, repo: Repo, head: str) -> None:
        """Describe where to ask.

        Args:
            github: The App's GitHub.
            repo: The repository whose runs are meant.
            head: Their commit.
        """
        self._github = github
        self._repo = repo
        self._head = head
        self._actions: dict[ActionOfRepository, tuple[str, str] | None] = {}

    async def of_run(self, facts: WorkflowFacts, missing: list[str]) -> tuple[tuple[str, str], ...]:
        """Return what a run used of other repositories, by how `uses` names it; add what is missing."""
        called = await self._workflows(facts.referenced, missing)
        own = await self._github.read_file(self._repo, facts.path, self._head)
        texts = [*(text for _, text in called), (own or b"").decode("utf-8", "replace")]
        return (*called, *await self._composites(texts, missing))

    async def _workflows(
        self, referenced: tuple[ReferencedWorkflow, ...], missing: list[str]
    ) -> list[tuple[str, str]]:
        """Return the called workflows, as the run had them."""
        found: list[tuple[str, str]] = []
        for workflow in referenced[:_MOST_CALLED]:
            place = WorkflowOfRepository.parse(workflow.path)
            if place is None or place.repository == self._repo.full_name:
                continue
            what = job_target.called_workflow(workflow.path)
            try:
                text = await self._public(place.repository, place.path, workflow.sha)
            except GitHubError as error:  # as when it has answered strangers often enough
                missing.append(job_target.forbidden(what, str(error)))
                continue
            if text is None:
                missing.append(job_target.gone(what))
            else:
                found.append((workflow.path, text))
        return found

    async def _composites(self, texts: Iterable[str], missing: list[str]) -> list[tuple[str, str]]:
        """Return the composite actions that texts name, and those that these name.

        What is known otherwise needs no file. One that is no composite is a program that comes with
        files of its own.
        """
        found: dict[str, str] = {}
        waiting = [action for text in texts for action in actions_named(text)]
        while waiting:
            action = waiting.pop(0)
            if is_known(action.uses):
                continue
            if action not in self._actions and len(self._actions) < _MOST_ACTIONS:
                try:
                    self._actions[action] = await self._file(action)
                except GitHubError as error:
                    what = job_target.action(action.uses)
                    missing.append(job_target.forbidden(what, str(error)))
                    self._actions[action] = None
            read = self._actions.get(action)
            if read is not None and read[0] not in found:
                found[read[0]] = read[1]
                waiting += actions_named(read[1], action)
        return list(found.items())

    async def _file(self, action: ActionOfRepository) -> tuple[str, str] | None:
        for path in action.files:
            text = await self._public(action.repository, path, action.ref)
            if text is not None:
                return (action.place(path), text) if is_composite(text) else None
        return None

    async def _public(self, repository: str, path: str, ref: str) -> str | None:
        data = await self._github.read_public_file(repository, path, ref)
        return None if data is None else data.decode("utf-8", "replace")
