"""Try the edits that the measured cause of a flaky test suggests: no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from bot.apart import TooMuch, apart
from bot.model import Patch, Proposal, Usage
from bot.model.progress import Listener, Noticed
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.proposers.flaky.candidates import FlakyEdit, candidates, files_needed
from bot.repair.proposers.mechanical.rule_files import current
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import flaky as reasons

_SECONDS = 60.0

_REMEMBER = "git clean -fdxn 2>/dev/null | sort > /tmp/fixpoint-there"
_PUT_BACK = """\
git checkout -q -- .
git clean -fdxn 2>/dev/null | sort | comm -13 /tmp/fixpoint-there - | sed 's/^Would remove //' |
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
        """Return the first edit with which both commands of the cause pass, and that is new."""
        del spend  # nothing here costs money
        goal, key = task.flaky, f"attempt {task.n}: flaky"
        if goal is None:
            return Proposal(Patch(), "")
        listed = await steps(f"{key}: paths", workbench.run, "git ls-files", _SECONDS)
        paths = frozenset(listed.output.split("\n"))
        needed = await apart(partial(files_needed, goal, paths))
        texts = await steps(f"{key}: read", current, workbench, needed)
        try:
            edits = await apart(partial(candidates, goal, texts, paths))
        except TooMuch:
            return Proposal(Patch(), "")
        made = [attempt.proposal.patch.changed_lines for attempt in task.earlier]
        await steps(f"{key}: remember", workbench.run, _REMEMBER, _SECONDS)
        for n, edit in enumerate(edits):
            listener(Noticed(reasons.trying(edit.says)))
            trial = partial(_passes, workbench, edit, (task.commands.failing, goal.cause.contrast))
            if await steps(f"{key}: try {n}", trial):
                await _write(workbench, edit.texts, steps, f"{key}: keep {n}")
                patch = await steps(f"{key}: patch {n}", workbench.patch)
                if patch.changed_lines not in made:
                    return Proposal(patch, edit.says)
            await steps(f"{key}: undo {n}", workbench.run, _PUT_BACK, _SECONDS)
        return Proposal(Patch(), reasons.no_edit_helps(len(edits)) if edits else "")


async def _passes(workbench: Workbench, edit: FlakyEdit, commands: tuple[str, ...]) -> bool:
    """Return whether all commands pass with an edit; the work tree is untouched afterwards."""
    for command in commands:
        for path, text in edit.texts.items():
            await workbench.write_file(path, text.encode())
        seen = await workbench.observe(command)
        await workbench.run(_PUT_BACK, _SECONDS)
        if not seen.ok:
            return False
    return True


async def _write(workbench: Workbench, texts: Mapping[str, str], steps: Steps, name: str) -> None:
    for path, text in texts.items():
        await steps(f"{name} {path}", workbench.write_file, path, text.encode())
