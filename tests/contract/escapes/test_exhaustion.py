"""What is taken in a sandbox is not taken from the host."""

from __future__ import annotations

import resource

import pytest

from sandbox.base import ResourceLimits, Sandbox, SandboxError
from tests.contract.conftest import Kind

SECONDS = 600.0
SMALL = ResourceLimits(memory=64 * 2**20, processes=60, output=2**16)
FILLING = ResourceLimits(disk=32 * 2**20, files=2_000)


async def assert_alive(sandbox: Sandbox) -> None:
    """It still answers, and nothing runs in it."""
    said = await sandbox.run("echo alive; ls -d /proc/[0-9]* | wc -l", timeout=SECONDS)
    assert said.output.split()[0] == "alive"
    assert int(said.output.split()[1]) < 12


async def test_nothing_is_exhausted(kind: Kind) -> None:
    """Neither by processes, nor by memory, output, descriptors or what stays in the background."""
    sandbox = await kind.open(limits=SMALL)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bomb = await sandbox.run("bomb() { bomb | bomb & }; bomb; sleep 1; exit 3", timeout=3)
    assert not bomb.ok
    await assert_alive(sandbox)
    hoard = await sandbox.run(
        "text=$(head -c 400M /dev/zero | tr '\\0' x); echo ${#text}", timeout=SECONDS
    )
    assert not hoard.ok or "419430400" not in hoard.output
    endless = await sandbox.run("while :; do echo yes yes yes yes; done", timeout=1)
    assert endless.timed_out
    assert len(endless.output) < 2 * SMALL.output
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 * 2**10
    await sandbox.run("for n in 1 2 3; do setsid sleep 600 & (sleep 600 &) ; done", timeout=SECONDS)
    descriptors = 'for n in $(seq 10 2000); do eval "exec $n</"; done'
    await sandbox.run(descriptors, timeout=SECONDS)
    await assert_alive(sandbox)


async def test_the_disk_is_not_filled(kind: Kind) -> None:
    """By many files below the limit for one, or by files that hold nothing."""
    if kind.name == "e2b":
        pytest.skip("A machine of E2B has a disk of its own.")
    sandbox = await kind.open(limits=FILLING)
    data = "for n in $(seq 600); do head -c 2M /dev/zero > data$n; sleep 0.01; done"
    big = await sandbox.run(data, timeout=SECONDS)
    assert (big.exit_code, big.timed_out) == (137, False)
    assert "its sandbox takes up" in big.output
    if kind.name == "docker":
        return  # the same, asked in the same way
    await sandbox.run("rm -f data*", timeout=SECONDS)
    names = "for n in $(seq 400); do touch $(seq $n$n 2 1$n$n | head -500); sleep 0.02; done"
    many = await sandbox.run(names, timeout=SECONDS)
    assert (many.exit_code, many.timed_out) == (137, False)
    assert "The command was stopped: its sandbox holds " in many.output
    await assert_alive(sandbox)


async def test_files_with_holes_do_not_fill_the_host(kind: Kind) -> None:
    """They take no room inside; as an archive they would take all that they claim to hold."""
    if kind.name == "e2b":
        pytest.skip("Its listing says how large the files claim to be.")
    sandbox = await kind.open(limits=FILLING)
    made = await sandbox.run(
        "mkdir a; truncate -s 1G a/hole || dd if=/dev/null of=a/hole bs=1 seek=1G", timeout=SECONDS
    )
    assert made.ok, made
    if kind.name == "docker":
        with pytest.raises(SandboxError, match="MiB; make the commands clean up"):
            await sandbox.tree()
        assert (await sandbox.run("rm -r a", timeout=SECONDS)).ok
    tree = await sandbox.tree()
    room = sum(path.lstat().st_blocks for path in tree.rglob("*")) * 512
    assert room < FILLING.disk
