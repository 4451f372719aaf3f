"""Adapt a repository to a release by the difference of what its two versions offer: no model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.model import Observation, Patch, Proposal, Usage
from bot.model.culprit import Culprit
from bot.model.progress import Listener, Noticed
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.adapt.edits import Adaptation, adaptations, adapted, also_caught
from bot.repair.proposers.base import Task
from bot.repair.proposers.bound import releases_of, with_requirements
from bot.repair.proposers.mechanical.rule_files import current
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import release_repairs as reasons

_SECONDS = 60.0
_MOST = 12
"""Ways of one release that are tried; each is a run of the failing command."""


class AdaptProposer:
    """Tries the edits that a release's differences suggest until the failing command passes."""

    traits = PROPOSERS["adapt"]

    async def warm(self) -> None:
        """Nothing takes long here."""

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Return the first set of edits with which the failing command passes and that is new."""
        del spend  # nothing here costs money
        made = [attempt.proposal.patch.changed_lines for attempt in task.earlier]
        releases = releases_of(task)
        asked = [each for each in releases if each.bound and not each.bound.keeps_out]
        if asked:
            proposal = await with_requirements(task, asked, workbench, steps)
            if proposal.patch and proposal.patch.changed_lines not in made:
                return proposal
            await steps(f"attempt {task.n}: undo", workbench.run, "git checkout -q -- .", _SECONDS)
        for culprit in releases:
            trial = _Trial(task, culprit, workbench, steps)
            for way in adaptations(culprit.api, _MOST, culprit.followed):
                listener(Noticed(reasons.trying(way.changes[0], way.instead)))
                if not await trial.passes_with(way):
                    continue
                patch = await steps(f"{trial.key}: patch", workbench.patch)
                if patch.changed_lines not in made:
                    changes = [change for kept in trial.kept for change in kept.changes]
                    said = reasons.adapted_to(culprit, changes)
                    return Proposal(patch, said, followed=tuple(w.followed for w in trial.kept))
                await trial.undo(way)
        return Proposal(Patch(), "")


@dataclass(slots=True)
class _Trial:
    """What was tried of one release.

    Attributes:
        task: Of it.
        culprit: The release.
        workbench: Where it is tried.
        steps: Of the run.
        kept: What is in the work tree because more passes with it.
        best: What the failing command shows with that; None where it is the untouched tree's.
        n: Ways that were tried.
        before: The files of the last one, as they were.
    """

    task: Task
    culprit: Culprit
    workbench: Workbench
    steps: Steps
    kept: list[Adaptation] = field(default_factory=list)
    best: Observation | None = None
    n: int = 0
    before: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Front of the steps' names."""
        return f"attempt {self.task.n}: adapt to {self.culprit.event.name} {self.n}"

    async def passes_with(self, way: Adaptation) -> bool:
        """Whether the failing command passes with a way; what makes more pass stays."""
        self.n += 1
        files, package = way.files, self.culprit.event.name
        self.before = await self.steps(f"{self.key}: read", current, self.workbench, files)
        after = {
            path: text
            for path, was in self.before.items()
            if (text := adapted(path, was, way, package)) is not None
        }
        if not after:
            return False
        await self._write(after, "write")
        seen = await self._look("look")
        for exception in [] if seen.ok else raised(seen, way.changes[0].name.partition(".")[0]):
            caught = {
                path: text
                for path, was in {**self.before, **after}.items()
                if (text := also_caught(path, was, exception)) is not None
            }
            if caught:
                after |= caught
                await self._write(caught, f"catch {exception}")
                seen = await self._look(f"look at {exception}")
        best = self.best or self.task.reproduction.observation
        if seen.ok or best is None or _shows_more(seen, best):
            self.kept.append(way)
            self.best = seen
            return seen.ok
        await self._write({path: self.before[path] for path in after}, "undo")
        return False

    async def _look(self, name: str) -> Observation:
        return await self.steps(
            f"{self.key}: {name}", self.workbench.observe, self.task.commands.failing
        )

    async def undo(self, way: Adaptation) -> None:
        """Take back the last way."""
        self.kept.remove(way)
        self.best = None
        await self._write(self.before, "undo")

    async def _write(self, texts: Mapping[str, str], what: str) -> None:
        for path, text in texts.items():
            name = f"{self.key}: {what} {path}"
            await self.steps(name, self.workbench.write_file, path, text.encode())


def raised(seen: Observation, package: str) -> tuple[str, ...]:
    """Return the exceptions of a package's own that failures end with, as the package offers them."""
    words = re.compile(rf"^{re.escape(package)}\.(?:\w+\.)*?(?P<name>[A-Z]\w{{0,80}})(?=:|$)")
    found = [match for failure in seen.failing if (match := words.match(failure.message))]
    return tuple(dict.fromkeys(f"{package}.{match['name']}" for match in found))


def _shows_more(seen: Observation, best: Observation) -> bool:
    """Whether more passes than so far, or fewer fail and no less passes."""
    if seen.timed_out or not seen.named:
        return False
    passed, failed = len(seen.passed), len(seen.failing_ids)
    return passed > len(best.passed) or (
        passed == len(best.passed) and failed < len(best.failing_ids)
    )
