"""What repositories may read of each other's memory, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pydantic import SecretStr

from bot.model import Patch
from bot.model.memory import Became, FailureSignature, MemoryLimits, TriedRepair
from bot.model.memory_sharing import Sharing, SharingScope, may_read
from bot.model.repository import Repo
from bot.storage.database import Database, open_database
from bot.storage.memory import MemoryStore
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name

KNOT = FailureSignature("KeyError: 'knot'", "KeyError", ("a.py unit",), "make check", "pytest")
LIMITS = MemoryLimits()


@dataclass(frozen=True)
class Place:
    """A repository, and how far its memory goes."""

    name: str
    installation: int
    reach: SharingScope | None

    @property
    def repo(self) -> Repo:
        return Repo(f"{self.name[:4]}/{self.name[5:]}", self.installation)


OWN = Place("acme open", 1, SharingScope.PUBLIC)
PUBLIC = Place("acme lib", 1, SharingScope.PUBLIC)
PRIVATE = Place("acme secret", 1, SharingScope.OWNER)
OTHERS_PUBLIC = Place("zoos tool", 2, SharingScope.PUBLIC)
OTHERS_PRIVATE = Place("zoos secret", 2, SharingScope.OWNER)
ALONE = Place("acme alone", 1, None)
LEFT = Place("acme gone", 3, SharingScope.OWNER)  # the name's owner is another account now
PLACES = (OWN, PUBLIC, PRIVATE, OTHERS_PUBLIC, OTHERS_PRIVATE, ALONE, LEFT)


def entry(n: int, place: Place) -> TriedRepair:
    changed = Patch(f"+{place.name}\n".encode(), ("a.py",), 1, 0)
    return TriedRepair(
        f"{n:012x}-1", f"{n:012x}", KNOT, "agent", "", changed, (), Became.MERGED,
        datetime.now(UTC), pull_request=n,
    )  # fmt: skip


async def fill(database: Database, sharing: Sharing) -> None:
    store = MemoryStore(database, sharing=sharing)
    for n, place in enumerate(PLACES, start=1):
        await store.keep(place.repo, [entry(n, place)], LIMITS, place.reach)


async def read(database: Database, sharing: Sharing, reader: Place) -> tuple[set[str], set[str]]:
    """Return from where a repository is given repairs to apply, and attempts to show."""
    store = MemoryStore(database, sharing=sharing)

    def origins(found: tuple[TriedRepair, ...]) -> set[str]:
        named = [reader.repo if repair.origin is None else repair.origin for repair in found]
        return {repo.full_name.replace("/", " ") for repo in named}

    same = await store.same(reader.repo, KNOT, reader.reach)
    return origins(same), origins((await store.similar(reader.repo, KNOT, 9, reader.reach)).entries)


async def test_nothing_crosses_unless_the_operator_says_so(url: SecretStr) -> None:
    """Not before, not from what was kept before, and not to who takes no part."""
    async with await open_database(url) as database:
        await fill(database, Sharing.NONE)
        for sharing in Sharing:
            for reader in PLACES:
                assert await read(database, sharing, reader) == ({reader.name}, {reader.name})


async def test_private_patches_stay_among_their_owners_private_repositories(
    url: SecretStr,
) -> None:
    """Of other owners, a model is shown what public repositories share; nothing is applied."""
    async with await open_database(url) as database:
        await fill(database, Sharing.PUBLIC)
        apart = {OWN.name, PUBLIC.name}
        for reader, applied, shown in (
            (OWN, apart, {*apart, OTHERS_PUBLIC.name}),
            (PRIVATE, {*apart, PRIVATE.name}, {*apart, PRIVATE.name, OTHERS_PUBLIC.name}),
            (OTHERS_PUBLIC, {OTHERS_PUBLIC.name}, {*apart, OTHERS_PUBLIC.name}),
            (ALONE, {ALONE.name}, {ALONE.name}),
        ):
            assert await read(database, Sharing.NONE, reader) == ({reader.name}, {reader.name})
            assert await read(database, Sharing.OWNER, reader) == (applied, applied)
            assert await read(database, Sharing.PUBLIC, reader) == (applied, shown)


async def test_a_repository_that_shares_less_shares_less_of_before(url: SecretStr) -> None:
    """One that becomes private, or leaves, takes back; one that shares more gives what comes."""
    async with await open_database(url) as database:
        await fill(database, Sharing.PUBLIC)
        store = MemoryStore(database, sharing=Sharing.PUBLIC)

        async def shared(reach: SharingScope | None) -> set[str]:
            again = replace(entry(100 + len(kept), PUBLIC), became=Became.REJECTED)
            kept.append(again)
            await store.narrow(PUBLIC.repo, reach)
            await store.keep(PUBLIC.repo, [again], LIMITS, reach)
            found = (await store.similar(PRIVATE.repo, KNOT, 99, SharingScope.OWNER)).entries
            return {repair.run_id for repair in found if repair.origin == PUBLIC.repo}

        kept = [entry(2, PUBLIC)]
        assert await shared(SharingScope.PUBLIC) == {repair.run_id for repair in kept}
        assert await shared(SharingScope.OWNER) == {repair.run_id for repair in kept}
        assert PUBLIC.name not in (await read(database, Sharing.PUBLIC, OWN))[1]
        assert await shared(None) == set()
        assert await shared(SharingScope.PUBLIC) == {kept[-1].run_id}


async def test_what_a_repository_reverted_comes_from_no_other(url: SecretStr) -> None:
    """Even if another one merged the same later."""
    async with await open_database(url) as database:
        store = MemoryStore(database, sharing=Sharing.OWNER)
        mine, theirs = entry(1, OWN), replace(entry(2, PUBLIC), patch=entry(1, OWN).patch)
        await store.keep(OWN.repo, [replace(mine, became=Became.REVERTED)], LIMITS, OWN.reach)
        await store.keep(PUBLIC.repo, [theirs], LIMITS, PUBLIC.reach)
        assert await store.same(OWN.repo, KNOT, OWN.reach) == ()
        assert [
            repair.run_id for repair in await store.same(PRIVATE.repo, KNOT, PRIVATE.reach)
        ] == [theirs.run_id]
        settled = await store.settled(OWN.repo, OWN.reach)
        assert [repair.became for repair in settled] == [Became.REVERTED, Became.MERGED]


def test_what_is_private_now_is_private() -> None:
    """Whatever it was when it shared something."""
    private, public = SharingScope
    assert may_read(public, public, same_owner=False)
    assert may_read(private, private, same_owner=True)
    assert not may_read(public, private, same_owner=True)
    assert not may_read(private, private, same_owner=False)
    assert not may_read(None, public, same_owner=True)
    assert not may_read(public, None, same_owner=True)
