"""Try the edits that the measured cause of a flaky test suggests: no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from bot.limited_process import TooMuch, run_limited
from bot.model import Patch, Proposal, Usage
from bot.model.flaky import FlakyGoal
from bot.model.progress import Listener, Noticed
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.proposers.flaky.candidates import candidates, files_needed
from bot.repair.proposers.mechanical.rule_files import current
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import flaky as reasons
from sandbox.base import SCRATCH

_SECONDS = 60.0

_LIST = "date +%F; git ls-files"
_THERE = f"{SCRATCH}/fixpoint-there"
_REMEMBER = f"git clean -fdxn 2>/dev/null | sort > {_THERE}"
_PUT_BACK = f"""\
git checkout -q -- .
git clean -fdxn 2>/dev/null | sort | comm -13 {_THERE} - | sed 's/^Would remove //' |
while IFS= read -r left; do rm -rf -- "$left"; done"""
"""What a run leaves in the work tree must neither be in the patch nor be there in the next run."""


class FlakyProposer:
    """Tries one edit after another until the command that showed the failure passes."""

    traits = PROPOSERS["flaky"]

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
        """Return the first edits with which the commands of the causes pass, as far as they can be mended.

        After a rejected patch, the next edit that mends the first cause is taken.
        """
        del spend  # nothing here costs money
        goal, key = task.flaky, f"attempt {task.n}: flaky"
        if goal is None:
            return Proposal(Patch(), "")
        listed = await steps(f"{key}: paths", workbench.run, _LIST, _SECONDS)
        day, *names = listed.output.split("\n")
        paths = frozenset(names)
        await steps(f"{key}: remember", workbench.run, _REMEMBER, _SECONDS)
        trials = _Trials(workbench, steps, listener, paths, key, f"{day}T12:00")
        left = sum(attempt.proposer == self.traits.name for attempt in task.earlier)
        for n, cause in enumerate((goal.cause, *goal.more)):
            mended = await trials.mended(replace(goal, cause=cause), left if n == 0 else 0)
            if n == 0 and not mended:
                return Proposal(Patch(), reasons.no_edit_helps(trials.tried))
        await _write(workbench, trials.kept, steps, f"{key}: keep")
        patch = await steps(f"{key}: patch", workbench.patch)
        return Proposal(patch, " ".join(trials.said))


@dataclass(slots=True)
class _Trials:
    """What was tried.

    Attributes:
        workbench: Where.
        steps: Of the run.
        listener: Is told.
        paths: Of the work tree.
        key: Front of the steps' names.
        moment: This day, at noon.
        kept: The changed files of the edits that help, by path.
        said: What these edits do.
        commands: That pass with them.
        tried: How many edits were tried.
    """

    workbench: Workbench
    steps: Steps
    listener: Listener
    paths: frozenset[str]
    key: str
    moment: str
    kept: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    commands: tuple[str, ...] = ()
    tried: int = 0

    async def mended(self, goal: FlakyGoal, left_out: int) -> bool:
        """Keep the first edit that mends a cause besides those before, after some that are left out."""
        needed = await run_limited(partial(files_needed, goal, self.paths))
        key = f"{self.key} {len(self.commands)}"
        texts = await self.steps(f"{key}: read", current, self.workbench, needed)
        try:
            edits = await run_limited(
                partial(candidates, goal, texts | self.kept, self.paths, self.moment)
            )
        except TooMuch:
            return False
        commands = (goal.cause.command, goal.cause.contrast, *self.commands)
        for edit in edits:
            self.tried += 1
            self.listener(Noticed(reasons.trying(edit.says)))
            changed = {**self.kept, **edit.texts}
            name = f"{self.key}: try {self.tried}"
            if not await self.steps(name, _passes, self.workbench, changed, commands):
                continue
            if left_out:
                left_out -= 1
                continue
            self.kept, self.commands = changed, commands
            self.said.append(edit.says)
            return True
        return False


async def _passes(
    workbench: Workbench, texts: Mapping[str, str], commands: tuple[str, ...]
) -> bool:
    """Return whether all commands pass with changed files; the work tree is untouched afterwards."""
    for command in commands:
        for path, text in texts.items():
            await workbench.write_file(path, text.encode())
        seen = await workbench.observe(command)
        await workbench.run(_PUT_BACK, _SECONDS)
        if not seen.ok:
            return False
    return True


async def _write(workbench: Workbench, texts: Mapping[str, str], steps: Steps, name: str) -> None:
    for path, text in texts.items():
        await steps(f"{name} {path}", workbench.write_file, path, text.encode())
