"""Bring from GitHub what earlier jobs of a workflow run uploaded."""

from __future__ import annotations

from bot.errors import NotPermitted
from bot.github.downloads import TooLarge
from bot.github.github import GitHub
from bot.github.jobs import ArtifactFacts
from bot.github.refusals import Gone
from bot.model.artifacts import (
    LARGEST_ARTIFACT,
    MOST_ARTIFACT_BYTES,
    MOST_ARTIFACTS,
    Artifacts,
    ArtifactWish,
)
from bot.model.repository import Repo
from bot.reporting.reasons import job_target


class RunArtifacts:
    """The artifacts of one repository's workflow runs."""

    def __init__(self, github: GitHub, repo: Repo) -> None:
        self._github = github
        self._repo = repo

    async def bring(self, run_id: int, wanted: tuple[ArtifactWish, ...]) -> Artifacts:
        """Return the artifacts that are meant; what is gone, forbidden or too large is said.

        Raises:
            GitHubError: In an outage.
        """
        try:
            listed = await self._github.artifacts(self._repo, run_id)
        except (Gone, NotPermitted) as error:
            return Artifacts(missing=(job_target.artifacts_not_listed(str(error)),))
        newest = {
            artifact_facts.name: artifact_facts
            for artifact_facts in sorted(listed, key=lambda item: item.id)
        }
        meant = [
            artifact_facts
            for artifact_facts in newest.values()
            if any(wish.means(artifact_facts.name) for wish in wanted)
        ]
        missing = [
            job_target.artifact_not_uploaded(wish.name or wish.pattern)
            for wish in wanted
            if not any(wish.means(facts.name) for facts in meant)
        ]
        zips: dict[str, bytes] = {}
        room = MOST_ARTIFACT_BYTES
        for artifact_facts in meant[:MOST_ARTIFACTS]:
            told = job_target.artifact(artifact_facts.name)
            if artifact_facts.expired:
                missing.append(job_target.gone(told))
            elif artifact_facts.size > min(LARGEST_ARTIFACT, room):
                missing.append(
                    job_target.artifact_not_taken(artifact_facts.name, artifact_facts.size)
                )
            elif (data := await self._zip(artifact_facts, missing)) is not None:
                zips[artifact_facts.name] = data
                room -= len(data)
        return Artifacts(zips, tuple(missing))

    async def _zip(self, artifact: ArtifactFacts, missing: list[str]) -> bytes | None:
        what = job_target.artifact(artifact.name)
        try:
            archive = await self._github.artifact(self._repo, artifact)
        except Gone:
            missing.append(job_target.gone(what))
        except NotPermitted as error:
            missing.append(job_target.forbidden(what, str(error)))
        except TooLarge as error:
            missing.append(str(error))
        else:
            return archive.data
        return None
