"""Install packages as of moments, swap some of their versions, and run the failing tests with them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from bot.ci.failure_comparison import Likeness, account_of_run, compare
from bot.ci.failure_identity import WHOLE, KnownFailures, identity_of
from bot.model import Observation, Patch
from bot.repair.culprit.explained_failure import Looking
from bot.repair.culprit.package_clients import PYPI, PackageClient
from bot.repair.culprit.package_runs import PackageSet, ReleaseOutcome, Upload
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.sandbox_cleanup import clean_up
from bot.repair.workspace.setup_result import Prepared, SetupFailed
from sandbox.base import SCRATCH, WORKSPACE

_SCRIPT = f"{SCRATCH}/fixpoint-packages.py"
_ANSWER = f"{SCRATCH}/fixpoint-packages.json"
_SECONDS = 300.0
_SETTLES = timedelta(hours=6)
"""Files of a release are uploaded one after the other; one for a new interpreter comes weeks later."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """One that is installed.

    Attributes:
        name: Normalised.
        version: Of it.
        modules: That it brings, the top ones.
        requires: Names of packages, as it writes them.
        is_own: Whether it is the repository's.
    """

    name: str
    version: str
    modules: tuple[str, ...]
    requires: tuple[str, ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class DatedTree:
    """The tree with packages as of a moment.

    Attributes:
        place: Keeps it apart from the run's others.
        moment: Nothing in it was uploaded later.
        prepared: The tree.
        distributions: What is installed.
    """

    place: str
    moment: datetime
    prepared: Prepared
    distributions: tuple[Distribution, ...]

    @property
    def versions(self) -> dict[str, str]:
        """What is installed, the repository's own packages left out."""
        return {item.name: item.version for item in self.distributions if not item.is_own}


@dataclass(slots=True)
class SandboxPackages:
    """Installs in sandboxes of a run, and runs the failing tests there.

    Attributes:
        looking: What it is for.
        newest: The moment of the packages with which the failure was seen.
        client: Of their registry.
        trees: By place; None where nothing could be installed.
        green: Places where a run of the failing tests ended with nothing failing at all.
    """

    looking: Looking
    newest: datetime
    client: PackageClient = PYPI
    trees: dict[str, DatedTree | None] = field(default_factory=dict)
    green: set[str] = field(default_factory=set)

    async def at_hand(self) -> PackageSet | None:
        """Return what is installed where the failure was seen; None where that can't be told."""
        return await self._kept(self._seen_with, self.newest)

    async def require_time(self) -> None:
        """Raise `BudgetExhausted` unless there is time for two installations, as long as the run's own."""
        await self.looking.require(2 * self.looking.run.known.setup_seconds)

    def take_all_time(self) -> None:
        """Take as much time as there may be."""
        self.looking.take_all_time()

    async def as_of(self, moment: datetime) -> PackageSet | None:
        """Install what was there at a moment; None where that can't be installed."""
        return await self._kept(self._installed, moment)

    async def swapped(
        self, packages: PackageSet, versions: Mapping[str, str | None]
    ) -> PackageSet | None:
        """Install other versions of some packages, and nothing else; a version None removes one."""
        wanted = {**packages.versions, **versions}
        exact = {name: version for name, version in wanted.items() if version is not None}
        for place, tree in self.trees.items():
            if tree is not None and tree.versions == exact:
                return PackageSet(place, exact, packages.moment)
        onto = self.trees[packages.key]
        made = await self._kept(self._with_versions, onto, dict(versions))
        return made if made is not None and made.versions == exact else None

    async def run(self, packages: PackageSet, n: int) -> ReleaseOutcome:
        """Run the failing tests, for the n-th time in this environment."""
        tree = self.trees[packages.key]
        if tree is None:
            return ReleaseOutcome.UNCLEAR
        await self.looking.check()
        name = f"{tree.place.removeprefix('-')} run {n}"
        seen = await self.looking.run.steps(name, self._observed, tree, n)
        if seen.ok:
            self.green.add(packages.key)
        return outcome_of(self.looking.question.red, seen)

    async def uploads(self, names: Iterable[str]) -> Sequence[Upload]:
        """Return the releases of some packages that are no pre-releases and were not yanked."""
        trees = [tree for tree in self.trees.values() if tree is not None]
        newest = max(trees, key=lambda tree: tree.moment)
        return await self.looking.run.steps("uploads", self._uploads, newest, tuple(sorted(names)))

    async def close(self) -> None:
        """Remove what is kept."""
        await clean_up(
            self.looking.run.tools.sandboxes, self.looking.run.job.run_id, tuple(self.trees)
        )

    def modules(self) -> dict[str, str]:
        """Return packages by the modules that they bring, of all environments so far."""
        return {
            module: item.name
            for tree in self.trees.values()
            if tree is not None
            for item in tree.distributions
            if not item.is_own
            for module in item.modules
        }

    def brought_by(self, package: str) -> tuple[str, ...]:
        """Return the packages that require one, of all environments so far."""
        found = {
            item.name: None
            for tree in self.trees.values()
            if tree is not None
            for item in tree.distributions
            if package in {str(canonicalize_name(name)) for name in item.requires}
        }
        return tuple(found)

    async def sources(self, package: str, version: str) -> dict[str, str]:
        """Return a package's programs, its metadata and its changelog, by path; none where it isn't there."""
        await self.looking.check()
        trees = (tree for tree in self.trees.values() if tree is not None)
        tree = next((tree for tree in trees if tree.versions.get(package) == version), None)
        if tree is None:
            return {}
        name = f"sources of {package} {version}"
        return await self.looking.run.steps(name, self._sources, tree, package)

    async def with_files(self, texts: Mapping[str, bytes]) -> tuple[Patch, PackageSet] | None:
        """Set up with other texts of files, as of the newest moment; None where that can't be set up.

        Returns:
            The change as a patch, and the environment.
        """
        await self.looking.check()
        place = f"-world-{len(self.trees) + 1}"
        made = await self.looking.run.steps(
            place.removeprefix("-"), self._with_files, place, dict(texts)
        )
        if made is None:
            self.trees[place] = None
            return None
        patch, tree = made
        self.trees[place] = tree
        return patch, PackageSet(place, tree.versions, tree.moment)

    async def _with_files(
        self, place: str, texts: Mapping[str, bytes]
    ) -> tuple[Patch, DatedTree] | None:
        context, moment = self.looking.context, self.newest
        preparation = self._preparation(place, moment)
        preparation.use(context.prepared)
        store, before = context.source.store, context.prepared.tree
        sandbox = await preparation.open(f"{self.looking.run.job.run_id}{place}-files")
        try:
            for path, text in texts.items():
                await sandbox.write_file(f"{WORKSPACE}/{path}", text)
            after = await store.write_tree(await sandbox.tree(), base=before)
        finally:
            await sandbox.close()
        patch = await patch_between(store, before, after)
        changed = await preparation.add(patch, context.prepared)
        made = await preparation.anew(changed, 1)
        tree = await self._looked_into(preparation, place, moment, made)
        return None if tree is None else (patch, tree)

    async def _kept(self, make: Any, *arguments: object) -> PackageSet | None:
        await self.looking.check()
        place = f"-world-{len(self.trees) + 1}"
        self.trees[place] = made = await self.looking.run.steps(
            place.removeprefix("-"), make, place, *arguments
        )
        return None if made is None else PackageSet(place, made.versions, made.moment)

    def _preparation(self, place: str, moment: datetime) -> Preparation:
        return self.looking.context.preparation.elsewhere(
            place, self.looking.run.listener, package_date=moment, is_brief=True
        )

    async def _seen_with(self, place: str, moment: datetime) -> DatedTree | None:
        preparation = self._preparation(place, moment)
        prepared = self.looking.context.prepared
        return await self._looked_into(preparation, place, moment, prepared)

    async def _installed(self, place: str, moment: datetime) -> DatedTree | None:
        preparation = self._preparation(place, moment)
        return await self._looked_into(preparation, place, moment, await preparation.set_up())

    async def _with_versions(
        self, place: str, onto: DatedTree, versions: Mapping[str, str | None]
    ) -> DatedTree | None:
        preparation = self._preparation(place, onto.moment)
        made = await preparation.extend(self.client.swapping(versions), onto.prepared, 1)
        return await self._looked_into(preparation, place, onto.moment, made)

    async def _looked_into(
        self, preparation: Preparation, place: str, moment: datetime, made: Prepared | SetupFailed
    ) -> DatedTree | None:
        """Return a tree with what is installed in it."""
        if isinstance(made, SetupFailed):
            return None
        preparation.use(made)
        told = await self._told(preparation, place, "installed")
        return None if told is None else DatedTree(place, moment, made, distributions_of(told))

    async def _uploads(self, tree: DatedTree, names: tuple[str, ...]) -> tuple[Upload, ...]:
        preparation = self._preparation(tree.place, tree.moment)
        preparation.use(tree.prepared)
        preparation.reach_registries()
        told = await self._told(
            preparation, f"{tree.place}-uploads", f"uploads {shlex.join(names)}"
        )
        return () if told is None else uploads_of(told)

    async def _sources(self, tree: DatedTree, package: str) -> dict[str, str]:
        preparation = self._preparation(tree.place, tree.moment)
        preparation.use(tree.prepared)
        question = f"sources {shlex.quote(package)} {shlex.quote(_ANSWER)}"
        found: dict[str, str] | None = await self._told(
            preparation, f"{tree.place}-sources", question, in_file=True
        )
        return found or {}

    async def _told(
        self, preparation: Preparation, place: str, question: str, *, in_file: bool = False
    ) -> Any:
        """Return what the script says in the sandbox, or writes there; None where it says nothing."""
        sandbox = await preparation.open(f"{self.looking.run.job.run_id}{place}-facts")
        try:
            script = files("bot.repair.workspace.inside") / self.client.script
            await sandbox.write_file(_SCRIPT, script.read_bytes())
            command = f"{self.client.program} {shlex.quote(_SCRIPT)} {question}"
            result = await self.looking.run.run_limits.hold(sandbox.run(command, timeout=_SECONDS))
            said = result.output.strip().rsplit("\n", 1)[-1]
            if in_file and result.ok:
                said = (await sandbox.read_file(_ANSWER)).decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        finally:
            await sandbox.close()
        try:
            return json.loads(said) if result.ok else None
        except json.JSONDecodeError:
            return None

    async def _observed(self, tree: DatedTree, n: int) -> Observation:
        preparation = self._preparation(tree.place, tree.moment)
        preparation.use(tree.prepared)
        context = replace(self.looking.context, preparation=preparation, prepared=tree.prepared)
        name = f"{self.looking.run.job.run_id}{tree.place}-run-{n}"
        room = context.clean_room(self.looking.run)
        return await room.observe(name, self.looking.context.commands.failing, Patch())


def outcome_of(red: Observation, seen: Observation) -> ReleaseOutcome:
    """Return what a run says of the failure that was seen before.

    A file that could not even be read is named as a failure: it passes once tests of it do. What is
    skipped with a version does not pass with it.
    """
    named = [failure.test for failure in red.named]
    if seen.ok:
        skips = bool(seen.passed or seen.skipped) and not all(_passed(each, seen) for each in named)
        return ReleaseOutcome.UNCLEAR if skips else ReleaseOutcome.PASSES
    if seen.timed_out or red.timed_out:
        return ReleaseOutcome.FAILS if seen.timed_out and red.timed_out else ReleaseOutcome.UNCLEAR
    likeness = compare(account_of_run(red), account_of_run(seen)).likeness
    if likeness in {Likeness.SAME, Likeness.PARTLY}:
        return ReleaseOutcome.FAILS
    if named and all(_passed(name, seen) for name in named):
        return ReleaseOutcome.PASSES
    if named and _all_fail(red, seen):
        return ReleaseOutcome.DIFFERS
    return ReleaseOutcome.UNCLEAR if likeness is Likeness.UNKNOWN else ReleaseOutcome.OTHERWISE


def _all_fail(red: Observation, seen: Observation) -> bool:
    """Whether all of the same tests fail, and none because its file could not even be read."""
    ran = [failure for failure in seen.named if not identity_of(failure).coarse]
    failing = KnownFailures(ran)
    return all(failing.named(failure) for failure in red.named)


def _passed(name: str, seen: Observation) -> bool:
    """Whether a test passed, or tests of the file did; of what kept all from starting, whether any did."""
    if name in WHOLE:
        return bool(seen.passed)
    return name in seen.passed or any(test.startswith(name) for test in seen.passed)


def distributions_of(told: Any) -> tuple[Distribution, ...]:
    """Return what the script says is installed."""
    return tuple(
        Distribution(
            item["name"],
            item["version"],
            tuple(item["modules"]),
            tuple(item["requires"]),
            is_own=item["own"],
        )
        for item in told
        if item["name"]
    )


def uploads_of(told: Mapping[str, Any]) -> tuple[Upload, ...]:
    """Return the releases that the script names, each with the moment when its files were there."""
    return tuple(
        Upload(_settled(times), name, version)
        for name, versions in told.items()
        for version, times in versions
        if _is_final(version)
    )


def _settled(times: Sequence[str]) -> datetime:
    moments = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in times]
    return max(moment for moment in moments if moment <= moments[0] + _SETTLES)


def _is_final(version: str) -> bool:
    try:
        return not Version(version).is_prerelease
    except InvalidVersion:
        return False
