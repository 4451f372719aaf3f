"""Set the repository up once, and open sandboxes that start from there."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bot.repair.job import Job, Source
from bot.repair.model import Commands, Patch, Target
from bot.repair.patching import apply_patch
from bot.repair.progress import CommandOutput, Listener, Phase, PhaseStarted
from bot.repair.reins import Reins
from bot.repair.surroundings import entered
from sandbox.base import Limits, Sandbox, SandboxError, SandboxGone, SandboxProvider, SandboxSpec

_FOR_SETUP = MappingProxyType({"UV_COMPILE_BYTECODE": "1"})
"""As pip does by itself: every sandbox starts from the same snapshot, so what is not compiled in
it would be compiled again in each."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The untouched tree, ready to be tested.

    Attributes:
        snapshot: Id of the sandbox snapshot.
        tree: What the work tree holds after the setup, as a tree of the run's store.
    """

    snapshot: str
    tree: str


@dataclass(frozen=True, slots=True)
class SetupFailed:
    """A setup command failed, so nothing can be tested."""

    command: str
    exit_code: int
    output: str
    timed_out: bool


PLACES = ("", "-2", "-3", "-4", "-base", "-base-2", "-base-3", "-base-4")
"""What tells the trees of one run apart: one for each failed job, and each job's at the base."""


def leftovers(run_id: str, places: Sequence[str] = PLACES[:1]) -> tuple[str, ...]:
    """Return the names under which a run keeps things at its sandbox provider."""
    kinds = ("setup", "with-test", "prepared", "tested")
    return tuple(f"{run_id}-{kind}{place}" for place in places for kind in kinds)


async def clean_up(
    provider: SandboxProvider, run_id: str, places: Sequence[str] = PLACES[:1]
) -> None:
    """Remove what a run left at the provider; what can't be removed goes by its lifetime."""
    for name in leftovers(run_id, places):
        with contextlib.suppress(SandboxError):
            await provider.remove(name)


class Preparation:
    """Prepares one run's tree and opens sandboxes on it, again if the snapshot is lost."""

    def __init__(
        self,
        job: Job,
        source: Source,
        commands: Commands,
        provider: SandboxProvider,
        *,
        reins: Reins,
        listener: Listener,
        place: str = "",
        target: Target | None = None,
    ) -> None:
        """Describe what is prepared, and with what.

        Args:
            job: Of the run.
            source: The commit.
            commands: How it is set up.
            provider: Of the sandboxes.
            reins: End the work.
            listener: Is told what happens.
            place: One of `PLACES`; keeps several trees of a run apart.
            target: The failed job in whose surroundings everything happens, if there is one.
        """
        self._place = place
        self._steps = target.setup if target else commands.setup
        self._shown = commands.setup if target is None else target.shown
        self._enter = target.enter if target else ""
        self._job = job
        self._source = source
        self._provider = provider
        self._reins = reins
        self._listener = listener
        self._current: Prepared | None = None
        self._on_top: Patch | None = None

    def use(self, prepared: Prepared, *, on_top: Patch | None = None) -> None:
        """Open sandboxes from `prepared` from now on; `on_top` is what `add` put there."""
        self._current, self._on_top = prepared, on_top

    async def set_up(self) -> Prepared | SetupFailed:
        """Run the setup on the untouched tree, with network, and keep the result."""
        name = self._name("setup")
        await self._provider.remove(name)
        sandbox = await self._provider.open(self._spec(name, network=True, source=self._source))
        try:
            for command, shown in zip(self._steps, self._shown, strict=True):
                self._listener(PhaseStarted(Phase.SETUP, detail=shown))
                result = await self._reins.hold(
                    sandbox.run(
                        command, timeout=self._job.limits.setup_seconds, on_output=self._tell
                    )
                )
                if not result.ok:
                    return SetupFailed(shown, result.exit_code, result.output, result.timed_out)
            return await self._keep(sandbox, self._name("prepared"), self._source.head)
        finally:
            await sandbox.close()

    async def add(self, patch: Patch, onto: Prepared) -> Prepared:
        """Return the prepared tree with a patch on top, kept in the same way.

        Raises:
            PatchDoesNotApply: When it does not fit.
        """
        name = self._name("with-test")
        await self._provider.remove(name)
        sandbox = await self._provider.open(self._spec(name, snapshot=onto.snapshot))
        try:
            await apply_patch(sandbox, patch)
            return await self._keep(sandbox, self._name("tested"), onto.tree)
        finally:
            await sandbox.close()

    async def open(self, name: str) -> Sandbox:
        """Open the sandbox of that name on the prepared tree, or attach to it.

        When the snapshot is lost (another host took the run over), the tree is prepared anew.
        """
        if self._current is None:
            raise SandboxGone("The tree is not prepared yet.")
        try:
            sandbox = await self._provider.open(self._spec(name, snapshot=self._current.snapshot))
        except SandboxGone:
            self._current = await self._prepare_again()
            sandbox = await self._provider.open(self._spec(name, snapshot=self._current.snapshot))
        return entered(sandbox, self._enter)

    async def _prepare_again(self) -> Prepared:
        prepared = await self.set_up()
        if isinstance(prepared, SetupFailed):
            raise SandboxGone(f"The prepared tree is lost, and `{prepared.command}` fails now.")
        if self._on_top is not None:
            prepared = await self.add(self._on_top, prepared)
        return prepared

    def _name(self, kind: str) -> str:
        return f"{self._job.run_id}-{kind}{self._place}"

    async def _keep(self, sandbox: Sandbox, name: str, base: str) -> Prepared:
        tree = await self._source.store.write_tree(await sandbox.tree(), base=base)
        await self._provider.remove(name)
        return Prepared(await sandbox.snapshot(name), tree)

    def _spec(
        self,
        name: str,
        *,
        network: bool | None = None,
        source: Source | None = None,
        snapshot: str | None = None,
    ) -> SandboxSpec:
        return SandboxSpec(
            name=name,
            source=source.directory if source else None,
            snapshot=snapshot,
            network=self._job.network if network is None else network,
            image=self._job.image_for(self._provider.kind),
            environment=_FOR_SETUP,
            limits=Limits(),
            lifetime=self._job.limits.seconds + 600,
        )

    def _tell(self, piece: bytes) -> None:
        self._listener(CommandOutput(piece.decode("utf-8", "replace")))
