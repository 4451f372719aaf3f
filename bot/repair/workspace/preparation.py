"""Set the repository up once, and open sandboxes that start from there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from bot.ci.artifacts import handed_over
from bot.ci.workflow.runner.offline_warmup import said_by
from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.package_hosts import registries
from bot.ecosystems.tree import DirectoryTree
from bot.model import Commands, Patch, Target
from bot.model.deadline import RunLimits
from bot.model.progress import CommandOutput, Listener, Phase, PhaseStarted
from bot.repair.job import ArtifactSource, Job, Source
from bot.repair.workspace.environments import Environment, Environments, commit_key, environment_key
from bot.repair.workspace.patches import apply_patch
from bot.repair.workspace.renewal import NotRenewed, Renewal
from bot.repair.workspace.sandbox_cleanup import TESTED, extended
from bot.repair.workspace.setup_result import Prepared, SetupFailed
from bot.reporting.reasons import job_target, sandbox_setup
from sandbox.base import (
    WORKSPACE,
    CommandResult,
    Network,
    OutputListener,
    ResourceLimits,
    Sandbox,
    SandboxGone,
    SandboxProvider,
    SandboxSpec,
)
from sandbox.proxy import SandboxProxy

# What is asked of pytest for our own sake, and what the job asks of it, go together.
_KEEP = 'ci_ours=$PYTEST_ADDOPTS\n{enter}\n[ "$ci_ours" = "$PYTEST_ADDOPTS" ] || export PYTEST_ADDOPTS="$PYTEST_ADDOPTS $ci_ours"\nunset ci_ours'


class Entered(SandboxProxy):
    """A `Sandbox` whose commands see the variables and the `PATH` of a step."""

    def __init__(self, sandbox: Sandbox, enter: str) -> None:
        super().__init__(sandbox)
        self._before = _KEEP.format(enter=enter)

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run a command behind the text that enters the surroundings."""
        return await super().run(
            f"{self._before}\n{command}",
            timeout=timeout,
            cwd=cwd,
            environment=environment,
            on_output=on_output,
        )


def entered(sandbox: Sandbox, enter: str) -> Sandbox:
    """Return the sandbox with its commands in these surroundings; as it is where there are none."""
    return Entered(sandbox, enter) if enter else sandbox


_FOR_SETUP = MappingProxyType({"UV_COMPILE_BYTECODE": "1"})
"""As pip does by itself: every sandbox starts from the same snapshot, so what is not compiled in
it would be compiled again in each."""


def network_of_setup(job: Job, source: Source) -> Network:
    """Return what a setup may reach: the registries of its project, and what the job allows."""
    hosts = registries(DirectoryTree(source.directory))
    return Network((*hosts, *job.hosts), job.network, job.project, job.package_date)


class Preparation:
    """Prepares one run's tree and opens sandboxes on it, again if the snapshot is lost."""

    def __init__(
        self,
        job: Job,
        source: Source,
        commands: Commands,
        provider: SandboxProvider,
        *,
        run_limits: RunLimits,
        listener: Listener,
        place: str = "",
        target: Target | None = None,
        environments: Environments | None = None,
        artifacts: ArtifactSource | None = None,
        is_brief: bool = False,
    ) -> None:
        """Describe what is prepared, and with what.

        Args:
            job: Of the run.
            source: The commit.
            commands: How it is set up.
            provider: Of the sandboxes.
            run_limits: End the work.
            listener: Is told what happens.
            place: One of `places_of`; keeps several trees of a run apart.
            target: The failed job in whose surroundings everything happens, if there is one.
            environments: Where to look for one that is prepared already.
            artifacts: Brings what the setup takes of earlier jobs.
            is_brief: A command or two run in it: to compile packages ahead would take longer.
        """
        self._variables = MappingProxyType({}) if is_brief else _FOR_SETUP
        self._planned = target is not None
        # Of one commit alone an environment is not worth what it costs to keep it elsewhere.
        wanted = self._planned or not provider.snapshots_cost
        # Artifacts belong to one commit.
        wanted = wanted and not (target and target.takes)
        self._environments = environments if job.identity and wanted else None
        self._artifacts = artifacts
        self._target = target
        self._again = target.again if target else ()
        self._renewal: Renewal | None = None
        self._place = place
        self._commands = commands
        self._steps = target.setup if target else commands.setup
        self._shown = commands.setup if target is None else target.shown
        self._enter = target.enter if target else commands.before
        self._job = job
        self._source = source
        self._provider = provider
        self._run_limits = run_limits
        self._listener = listener
        self._needs_registries = False
        self._current: Prepared | None = None
        self._on_top: Patch | None = None
        self._preparing = asyncio.Lock()

    @property
    def package_date(self) -> datetime | None:
        """The moment of its packages; None for today's."""
        return self._job.package_date

    @property
    def online(self) -> bool:
        """Whether the sandboxes that are opened reach at least the registries."""
        return self._needs_registries or self._job.network

    def reach_registries(self) -> None:
        """Open sandboxes with the setup's network from now on: the failing command needs it."""
        self._needs_registries = True

    def use(self, prepared: Prepared, *, on_top: Patch | None = None) -> None:
        """Open sandboxes from `prepared` from now on; `on_top` is what `add` put there."""
        self._current, self._on_top = prepared, on_top
        older = prepared.environment_of
        if self._renewal is None or self._renewal.older != older:  # else it is packed already
            self._renewal = Renewal(self._source, older, self._again) if older else None

    async def set_up(self) -> Prepared | SetupFailed:
        """Prepare the untouched tree, with the registries in reach where the setup has to run.

        The result is kept.
        """
        key = await self._key() if self._environments else ""
        if (reused := await self._reuse(key)) is not None:
            return reused
        return await self._made(
            zip(self._steps, self._shown, strict=True), key, "prepared", source=self._source
        )

    def change(self, commands: Commands) -> None:
        """Set up with other commands from now on; what is prepared stays as it is."""
        self._commands = commands
        self._steps = self._shown = commands.setup
        self._enter = commands.before

    def elsewhere(
        self,
        place: str,
        listener: Listener,
        *,
        package_date: datetime | None = None,
        is_brief: bool = False,
    ) -> Preparation:
        """Return what prepares the same in another place, and takes nothing that is prepared already.

        Args:
            place: Keeps it apart.
            listener: Is told what happens there.
            package_date: The moment of the packages; None for the one of this.
            is_brief: As for any.
        """
        other = Preparation(
            replace(self._job, package_date=package_date or self._job.package_date),
            self._source,
            self._commands,
            self._provider,
            run_limits=self._run_limits,
            listener=listener,
            place=place,
            target=self._target,
            artifacts=self._artifacts,
            is_brief=is_brief,
        )
        if self._needs_registries:
            other.reach_registries()
        return other

    async def anew(self, onto: Prepared, n: int) -> Prepared | SetupFailed:
        """Run the whole setup on a prepared tree, in an environment of its own.

        Args:
            onto: The tree; it stays as it is.
            n: As for `extend`.
        """
        discard = f"rm -rf {ENVIRONMENT}"
        steps = [(discard, discard), *zip(self._steps, self._shown, strict=True)]
        return await self._made(steps, "", extended(n), snapshot=onto.snapshot)

    async def extend(
        self, added: tuple[str, ...], onto: Prepared, n: int
    ) -> Prepared | SetupFailed:
        """Run further setup commands on a prepared tree, with the registries in reach.

        Args:
            added: The last ones of the commands that `change` named.
            onto: The tree; it stays as it is.
            n: Which extension of the run, from 1 to `MOST_EXTENSIONS`.
        """
        key = await self._key() if self._environments else ""
        steps = zip(added, added, strict=True)
        return await self._made(steps, key, extended(n), snapshot=onto.snapshot)

    async def _made(
        self,
        steps: Iterable[tuple[str, str]],
        key: str,
        kind: str,
        *,
        source: Source | None = None,
        snapshot: str | None = None,
    ) -> Prepared | SetupFailed:
        """Run setup commands, each with what people see of it, and keep the tree that they leave."""
        name = self._name("setup")
        await self._provider.remove(name)
        spec = self._spec(name, network=self._for_setup(), source=source, snapshot=snapshot)
        sandbox = await self._provider.open(spec)
        refused: dict[str, None] = {}
        undated: dict[str, None] = {}
        unreached: dict[str, None] = {}
        withheld: dict[str, None] = {}
        failed: dict[str, None] = {}
        try:
            missing = await self._hand_over(sandbox) if source is not None else ()
            for command, shown in steps:
                self._listener(PhaseStarted(Phase.SETUP, detail=shown))
                result = await self._run_limits.hold(
                    sandbox.run(
                        command, timeout=self._job.limits.setup_seconds, on_output=self._tell
                    )
                )
                refused |= dict.fromkeys(result.refused)
                undated |= dict.fromkeys(result.undated)
                unreached |= dict.fromkeys(result.unreached)
                withheld |= dict.fromkeys(result.withheld)
                failed |= dict.fromkeys(said_by(command, result.output))
                if not result.ok:
                    return SetupFailed(
                        shown,
                        result.exit_code,
                        result.output,
                        result.timed_out,
                        (*refused,),
                        (*undated,),
                        missing,
                        (*unreached,),
                        (*withheld,),
                    )
            prepared = await self._keep_prepared(sandbox, key, kind)
            return replace(
                prepared,
                refused=(*refused,),
                withheld=(*withheld,),
                undated=(*undated,),
                missing=missing,
                failed_steps=(*failed,),
            )
        finally:
            await sandbox.close()

    async def _hand_over(self, sandbox: Sandbox) -> tuple[str, ...]:
        """Put the artifacts of earlier jobs where the setup takes them; return what is missing."""
        target = self._target
        if target is None or not target.takes:
            return ()
        if self._artifacts is None or target.run_id is None:
            return (job_target.artifacts_unknown(target.check),)
        brought = await self._artifacts.bring(target.run_id, target.takes)
        await handed_over(sandbox, brought.zips)
        return brought.missing

    def _for_setup(self) -> Network:
        return network_of_setup(self._job, self._source)

    def _for_commands(self) -> Network | None:
        if self._job.network:
            return Network(everything=True, package_date=self._job.package_date)
        return self._for_setup() if self._needs_registries else None

    async def _key(self) -> str:
        image = self._job.image_for(takes_templates=self._provider.takes_templates)
        kind = f"{self._provider.kind} {image} {self._for_setup()}"
        if not self._planned:
            return commit_key(self._job.identity, kind, self._steps, self._source.head)
        event = self._job.event
        volatile = (self._source.head, event.sha, event.ref, event.head_ref, event.base_ref)
        files = await self._source.store.contents(self._source.head)
        return environment_key(self._job.identity, kind, self._steps, files, volatile)

    async def _reuse(self, key: str) -> Prepared | None:
        """Return the tree in an environment of the same inputs, or None when there is none.

        It is checked before it is used: the work tree must be that of the commit.
        """
        if self._environments is None or (found := await self._environments.find(key)) is None:
            return None
        head = await self._source.store.tree_of(self._source.head)
        self.use(prepared := Prepared(found.snapshot, head, found.commit))
        try:
            sandbox = await self._opened(self._name("setup"), found.snapshot)
            try:
                tree = await self._source.store.write_tree(await sandbox.tree(), base=head)
            finally:
                await sandbox.close()
        except (SandboxGone, NotRenewed):
            tree = ""
        if tree == head:
            self._listener(
                PhaseStarted(Phase.SETUP, detail=sandbox_setup.environment_reused(found.commit))
            )
            return prepared
        self._current = self._renewal = None
        await self._environments.forget(key)
        return None

    async def _keep_prepared(self, sandbox: Sandbox, key: str, kind: str) -> Prepared:
        """Keep a tree that was set up: for later runs too when it is the commit's and nothing else."""
        head = self._source.head
        if self._environments is None or self._job.is_fork:
            return await self._keep(sandbox, self._name(kind), head)
        tree = await self._source.store.write_tree(await sandbox.tree(), base=head)
        if tree != await self._source.store.tree_of(head):
            return await self._keep(sandbox, self._name(kind), head)
        name = f"env-{key[:20]}-{self._job.run_id}{self._place}"
        await self._provider.remove(name)
        snapshot = await sandbox.snapshot(name)
        if await self._environments.keep(key, Environment(snapshot, head)):
            return Prepared(snapshot, tree)
        own = await self._keep(sandbox, self._name(kind), head)
        await self._provider.remove(snapshot)
        return own

    async def _opened(self, name: str, snapshot: str) -> Sandbox:
        """Open a sandbox from a snapshot, at the commit of the run."""
        sandbox = await self._provider.open(self._spec(name, snapshot=snapshot))
        if self._renewal is not None:
            await self._renewal.bring(sandbox, seconds=self._job.limits.setup_seconds)
        return sandbox

    async def add(self, patch: Patch, onto: Prepared, kind: str = TESTED) -> Prepared:
        """Return the prepared tree with a patch on top, kept in the same way.

        Args:
            patch: Goes on top.
            onto: The tree; it stays as it is.
            kind: Tells what is kept apart from what else is.

        Raises:
            PatchDoesNotApply: When it does not fit.
        """
        name = self._name("with-test")
        await self._provider.remove(name)
        sandbox = await self._provider.open(self._spec(name, snapshot=onto.snapshot))
        try:
            await apply_patch(sandbox, patch)
            return await self._keep(sandbox, self._name(kind), onto.tree)
        finally:
            await sandbox.close()

    async def open(self, name: str) -> Sandbox:
        """Open the sandbox of that name on the prepared tree, or attach to it.

        When the snapshot is lost (another host took the run over), the tree is prepared anew.
        """
        if (prepared := self._current) is None:
            raise SandboxGone("The tree is not prepared yet.")
        try:
            sandbox = await self._opened(name, prepared.snapshot)
        except SandboxGone:
            sandbox = await self._opened(name, (await self._renewed(prepared)).snapshot)
        return entered(sandbox, self._enter)

    async def _renewed(self, lost: Prepared) -> Prepared:
        """Return what is prepared anew, once for all sandboxes that are opened at the same time."""
        async with self._preparing:
            current = self._current
            if current is None or current is lost:
                current = await self._prepare_again()
                self.use(current, on_top=self._on_top)
            return current

    async def _prepare_again(self) -> Prepared:
        prepared = await self.set_up()
        if isinstance(prepared, SetupFailed):
            raise SandboxGone(f"The prepared tree was lost, and `{prepared.command}` now fails.")
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
        network: Network | None = None,
        source: Source | None = None,
        snapshot: str | None = None,
    ) -> SandboxSpec:
        return SandboxSpec(
            name=name,
            source=source.directory if source else None,
            snapshot=snapshot,
            source_stays=source is not None and source.stays,
            network=network or self._for_commands(),
            image=self._job.image_for(takes_templates=self._provider.takes_templates),
            environment=self._variables,
            limits=ResourceLimits(),
            lifetime=self._job.limits.seconds + 600,
        )

    def _tell(self, piece: bytes) -> None:
        self._listener(CommandOutput(piece.decode("utf-8", "replace")))
