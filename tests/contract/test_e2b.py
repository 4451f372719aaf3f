"""What only E2B has to promise: one machine, always ended, whatever goes wrong on the way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from sandbox.base import Network, SandboxError, SandboxGone, SandboxSpec, SandboxUnavailable
from sandbox.e2b import E2BProvider
from sandbox.egress import registry_credential
from tests.fakes.e2b import CutStream, E2BServer, Garbage, LoseAnswer, Refuse, Sandbox, Slow

SOON = 600.0

Connect = Callable[..., E2BProvider]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[E2BServer]:
    async with E2BServer(tmp_path / "e2b") as server:
        yield server


@pytest.fixture
async def connect(server: E2BServer) -> AsyncIterator[Connect]:
    """Build providers, each as another host would have it, and close them in the end."""
    async with AsyncExitStack() as stack:

        def build(key: str = server.api_key, url: str = server.url, **options: Any) -> E2BProvider:
            provider = E2BProvider(SecretStr(key), api_url=url, sandbox_url=url, **options)
            stack.push_async_callback(provider.close)
            return provider

        yield build


@pytest.fixture
def provider(connect: Connect) -> E2BProvider:
    return connect()


@pytest.fixture
def spec(tmp_path: Path) -> SandboxSpec:
    source = tmp_path / "source"
    source.mkdir()
    (source / "greeting.txt").write_text("hello\n")
    return SandboxSpec("run-1", source=source)


def only(server: E2BServer) -> Sandbox:
    (sandbox,) = server.state.sandboxes.values()
    return sandbox


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that the server shows."""
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110 - the server has no event for each of these
            await asyncio.sleep(0.01)


# Creating


async def test_creation_says_all_that_e2b_should_know(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A machine is labelled with our name, has no network, and ends by its time-out."""
    await provider.open(replace(spec, lifetime=90.5))

    asked = only(server).asked
    assert asked["metadata"] == {"fixpoint-name": "run-1"}
    assert asked["allow_internet_access"] is False
    assert asked["autoPause"] is False
    assert asked["timeout"] == 91
    assert asked["templateID"] == "base"
    assert "network" not in asked


async def test_network_rules_hold_only_with_network(
    connect: Connect, server: E2BServer, spec: SandboxSpec
) -> None:
    """Rules are handed to E2B for a machine with network, so secrets stay at its proxy."""
    provider = connect(
        network={
            "allow_out": ["pypi.example"],
            "deny_out": ["0.0.0.0/0"],
            "rules": {"pypi.example": [{"transform": {"headers": {"Authorization": "Bearer s"}}}]},
        },
    )

    await provider.open(replace(spec, network=Network(everything=True)))

    network = only(server).asked["network"]
    assert only(server).asked["allow_internet_access"] is True
    assert network["allowOut"] == ["pypi.example"]
    assert network["denyOut"] == ["0.0.0.0/0"]
    assert "pypi.example" in network["rules"]


@pytest.mark.parametrize("network", [False, True])
async def test_network_is_off_unless_asked_for(
    provider: E2BProvider, spec: SandboxSpec, *, network: bool
) -> None:
    """A command reaches a port of this host only with network; that proves the stand-in, too."""
    connections = 0

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writer.close()

    listener = await asyncio.start_server(accept, "127.0.0.1", 0)
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        sandbox = await provider.open(
            replace(spec, network=Network(everything=True) if network else None)
        )
        result = await sandbox.run(f"exec 3<>/dev/tcp/127.0.0.1/{port}", timeout=SOON)

    assert (result.ok, connections) == (network, int(network))


async def test_a_lost_answer_makes_no_second_machine(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Creation is repeated under its idempotency key when its answer was a 500."""
    server.state.faults.add("create", LoseAnswer(500), times=2)

    await provider.open(spec)

    assert len(server.state.sandboxes) == 1
    assert server.state.requests.count("create") == 3


async def test_a_rate_limit_is_waited_out(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A 429 delays creation and fails nothing."""
    server.state.faults.add("create", Refuse(429, headers={"Retry-After": "0"}), times=2)

    await provider.open(spec)

    assert len(server.state.running) == 1


async def test_a_closed_name_can_be_opened_again(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """E2B still knows the idempotency key of a machine that has ended; a new one is made."""
    await (await provider.open(spec)).close()

    again = await provider.open(spec)

    assert not again.resumed
    assert (await again.run("cat greeting.txt", timeout=SOON)).output == "hello\n"
    assert len(server.state.running) == 1


async def test_a_closed_name_can_be_opened_otherwise(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """An idempotency key stands for one request, so another request gets another key."""
    await (await provider.open(spec)).close()

    await provider.open(replace(spec, network=Network(everything=True)))

    assert [sandbox.network for sandbox in server.state.running] == [True]


async def test_cancelled_creation_leaves_no_machine(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A machine whose creation was under way is ended too."""
    server.state.faults.add("create", Slow(0.3))
    opening = asyncio.ensure_future(provider.open(spec))
    await until(lambda: "create" in server.state.requests)

    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening

    assert only(server).ended == "killed"


async def test_failed_preparation_leaves_no_machine(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A machine that can't be filled is ended at once."""
    server.state.faults.add("write", Refuse(507, "not enough disk space"))

    with pytest.raises(SandboxError, match="disk is full"):
        await provider.open(spec)

    assert not server.state.running


async def test_cancelled_opening_leaves_no_machine(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Whoever stops waiting for a machine doesn't pay for it."""
    server.state.faults.add("write", Slow(SOON))
    opening = asyncio.ensure_future(provider.open(spec))
    await until(lambda: "write" in server.state.requests)

    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening

    assert not server.state.running


# Attaching


async def test_attaching_ends_what_a_dead_host_left_running(
    connect: Connect, provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """The work is still there for the next host, and the lost command no longer disturbs it."""
    first = await provider.open(spec)
    await first.write_file("kept.txt", b"work")
    lost = asyncio.ensure_future(first.run("sleep 6000", timeout=SOON))
    await until(lambda: only(server).running)

    second = await connect().open(spec)

    assert second.resumed
    assert await second.read_file("kept.txt") == b"work"
    assert not only(server).running
    assert (await lost).exit_code == 137


async def test_half_prepared_machine_is_prepared_again(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A host that died between creation and upload leaves a machine that the next one fills."""
    await server.state.create(
        {"templateID": "base", "metadata": {"fixpoint-name": "run-1"}, "timeout": 60}, None
    )

    sandbox = await provider.open(spec)

    assert not sandbox.resumed
    assert await sandbox.read_file("greeting.txt") == b"hello\n"
    assert len(server.state.sandboxes) == 1


async def test_attaching_makes_the_time_out_longer(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """The new host's lifetime counts from its arrival."""
    await provider.open(replace(spec, lifetime=60))

    await provider.open(replace(spec, lifetime=120))

    assert only(server).timeouts == [60, 120]


# Running


async def test_cancelling_kills_the_whole_tree(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A cancelled command takes along even what left its session; its pid got the signal."""
    sandbox = await provider.open(spec)
    escaped = "echo begun; until [ -e told ]; do sleep 0.05; done; echo survived > escaped.txt"
    command = f"(setsid bash -c '{escaped}' &); sleep 6000"
    begun = asyncio.Event()
    running = asyncio.ensure_future(
        sandbox.run(command, timeout=SOON, on_output=lambda _: begun.set())
    )
    await asyncio.wait_for(begun.wait(), SOON)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert not only(server).running
    assert set(only(server).processes[-1].signals) == {"SIGNAL_SIGKILL"}  # asked again if slow
    await sandbox.write_file("told", b"")
    await asyncio.sleep(0.8)
    with pytest.raises(FileNotFoundError):
        await sandbox.read_file("escaped.txt")


async def test_cancelling_a_command_that_is_about_to_start_kills_it(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """No command survives because its pid was not known yet."""
    sandbox = await provider.open(spec)
    server.state.faults.add("start", Slow(0.3))
    running = asyncio.ensure_future(sandbox.run("sleep 6000", timeout=SOON))
    await until(lambda: not server.state.faults.pending["start"])

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert only(server).processes[-1].arguments[-1].startswith("exec unshare")
    assert not only(server).running


async def test_time_out_kills_and_keeps_the_output(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A command that takes too long says what it said, and is gone."""
    sandbox = await provider.open(spec)

    for limit in (1.0, 8.0, 64.0):  # on a busy machine it does not begin in the first
        result = await sandbox.run("trap '' TERM; echo busy; sleep 6000 & wait", timeout=limit)
        if result.output:
            break

    assert (result.exit_code, result.timed_out, result.output) == (124, True, "busy\n")
    assert not only(server).running


async def test_kill_is_repeated_when_its_answer_is_lost(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """One bad answer at the wrong moment leaves no process behind."""
    sandbox = await provider.open(spec)
    server.state.faults.add("kill", Refuse(500))
    server.state.faults.add("signal", Refuse(503))

    result = await sandbox.run("sleep 6000", timeout=0.2)
    await sandbox.close()

    assert result.timed_out
    assert not server.state.running


async def test_cut_connection_stops_the_command_and_says_so(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A stream cut in the middle is an error of the sandbox, never a result."""
    sandbox = await provider.open(spec)
    server.state.faults.add("start", CutStream(events=2))

    with pytest.raises(SandboxError, match="connection to E2B was lost") as cut:
        await sandbox.run("echo one; sleep 6000", timeout=SOON)

    assert not isinstance(cut.value, SandboxGone)
    assert not only(server).running
    assert (await sandbox.run("echo fine", timeout=SOON)).output == "fine\n"


async def test_cut_before_the_pid_is_known_stops_the_command(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A command is found by its name tag when E2B could not tell its pid."""
    sandbox = await provider.open(spec)
    server.state.faults.add("start", CutStream(events=0))

    with pytest.raises(SandboxError, match="connection to E2B was lost"):
        await sandbox.run("sleep 6000", timeout=SOON)

    assert not only(server).running


async def test_machine_that_ends_while_working_is_gone(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A machine ended by somebody else is `SandboxGone` for the command and all that follow."""
    sandbox = await provider.open(spec)
    running = asyncio.ensure_future(sandbox.run("sleep 6000", timeout=SOON))
    await until(lambda: only(server).running)

    await server.state.end(only(server))

    with pytest.raises(SandboxGone):
        await running
    for call in (sandbox.run("true", timeout=SOON), sandbox.tree(), sandbox.snapshot("late")):
        with pytest.raises(SandboxGone):
            await call
    with pytest.raises(SandboxGone):
        await sandbox.read_file("greeting.txt")
    await sandbox.close()


async def test_idle_machine_ends_by_its_time_out(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Nobody pays for a machine whose host never came back."""
    sandbox = await provider.open(spec)
    server.state.set_timeout(only(server), 1)

    await until(lambda: not server.state.running)

    assert only(server).ended == "timed out"
    with pytest.raises(SandboxGone):
        await sandbox.run("true", timeout=SOON)


async def test_working_machine_outlives_its_time_out(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """The time-out is extended as long as a command runs, even when one extension fails."""
    sandbox = await provider.open(replace(spec, lifetime=6))
    server.state.faults.add("timeout", Refuse(400))
    first_end = only(server).end_at

    command = "until [ -e told ]; do sleep 0.05; done; echo done"
    running = asyncio.ensure_future(sandbox.run(command, timeout=SOON))
    await until(lambda: len(only(server).timeouts) >= 3 and datetime.now(UTC) > first_end)
    await sandbox.write_file("told", b"")

    assert (await running).output == "done\n"


async def test_values_stay_out_of_command_lines(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Neither the environment nor the API key shows up in the arguments of a process."""
    sandbox = await provider.open(replace(spec, environment={"TOKEN": "hush"}))

    result = await sandbox.run('echo "$TOKEN"; tr "\\0" " " </proc/*/cmdline', timeout=SOON)

    assert result.output.startswith("hush\n")
    for process in only(server).processes:
        assert "hush" not in " ".join(process.arguments)
        assert server.api_key not in process.environment.values()


async def test_environment_can_be_anything_but_a_bad_name(
    provider: E2BProvider, spec: SandboxSpec
) -> None:
    """PATH and values with quotes arrive as given; a name that no shell takes is an error."""
    sandbox = await provider.open(spec)

    given = {"PATH": "/workspace/bin:/usr/bin:/bin", "ODD": "a'b\"c $(d)\n", "command": "x"}
    result = await sandbox.run('printf "%s|%s" "$PATH" "$ODD"', timeout=SOON, environment=given)

    assert result.output == "/workspace/bin:/usr/bin:/bin|a'b\"c $(d)\n"
    with pytest.raises(SandboxError, match="NOT-A-NAME"):
        await sandbox.run("true", timeout=SOON, environment={"NOT-A-NAME": "1"})


async def test_a_failing_listener_ends_the_command(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """The listener's own error comes out, and the command is gone."""
    sandbox = await provider.open(spec)

    def fail(_: bytes) -> None:
        raise LookupError("listener")

    with pytest.raises(LookupError, match="listener"):
        await sandbox.run("echo one; sleep 6000", timeout=SOON, on_output=fail)

    assert not only(server).running


# Transferring


async def test_tree_transfers_only_what_differs(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Untouched files come from the source at hand; later calls bring the changes alone."""
    sandbox = await provider.open(spec)
    before = len(server.state.requests)

    untouched = await sandbox.tree()
    assert (untouched / "greeting.txt").read_text() == "hello\n"
    assert "write" not in server.state.requests[before:], "no list of wanted files was sent"

    await sandbox.run("mkdir new; echo 1 > new/one; rm greeting.txt; ln -s /etc link", timeout=SOON)
    tree = await sandbox.tree()
    assert sorted(path.name for path in tree.iterdir()) == ["link", "new"]
    assert (tree / "link").readlink() == Path("/etc")

    before = len(server.state.requests)
    await sandbox.tree()
    assert "write" not in server.state.requests[before:]


async def test_tree_survives_hostile_files(provider: E2BProvider, spec: SandboxSpec) -> None:
    """Devices stay out, odd names arrive, and nothing is written through a link."""
    sandbox = await provider.open(spec)
    await sandbox.run(
        "mkdir real; ln -s / swap; mkfifo pipe; touch -- '-x' $'new\\nline' $'\\xff'; "
        "echo a > real/a; ln real/a hard; chmod 0 real/a; chmod 555 real",
        timeout=SOON,
    )
    first = await sandbox.tree()
    assert (first / "hard").read_text() == (first / "real/a").read_text() == "a\n"
    assert not (first / "pipe").exists()
    assert {b"-x", b"new\nline", b"\xff"} <= {bytes(Path(p.name)) for p in first.iterdir()}

    await sandbox.run("rm swap; mkdir swap; echo b > swap/b; chmod 755 real", timeout=SOON)
    await sandbox.run("rm -rf real; ln -s swap real", timeout=SOON)
    second = await sandbox.tree()
    assert (second / "swap/b").read_text() == "b\n"
    assert (second / "real").is_symlink()


async def test_failed_transfer_starts_over(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """After an error in the middle the next tree is whole again."""
    sandbox = await provider.open(spec)
    await sandbox.tree()
    await sandbox.run("rm greeting.txt; echo new > new.txt", timeout=SOON)
    server.state.faults.add("write", Refuse(500))

    with pytest.raises(SandboxError):
        await sandbox.tree()

    tree = await sandbox.tree()
    assert [path.name for path in tree.iterdir()] == ["new.txt"]


async def test_snapshot_is_a_copy(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Machines made from a snapshot share nothing with each other or with their origin."""
    origin = await provider.open(spec)
    await origin.run("echo kept > ~/cache; echo 1 > state", timeout=SOON)
    snapshot = await origin.snapshot("ready-1")
    await origin.run("echo 2 > state", timeout=SOON)
    await origin.close()

    first, second = [
        await provider.open(SandboxSpec(name, snapshot=snapshot)) for name in ("run-a", "run-b")
    ]
    await first.write_file("state", b"3")

    assert (await second.run("cat ~/cache state", timeout=SOON)).output == "kept\n1\n"
    assert (await second.tree() / "state").read_text() == "1\n"
    await provider.remove("ready-1")
    await provider.remove("run-a")
    assert not server.state.snapshots
    assert [sandbox.metadata["fixpoint-name"] for sandbox in server.state.running] == ["run-b"]


# Ending


async def test_close_ends_the_machine_whatever_the_answers(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """Errors while closing are no excuse to keep a machine."""
    sandbox = await provider.open(spec)
    server.state.faults.add("kill", Refuse(500), times=2)
    server.state.faults.add("kill", Garbage())

    await sandbox.close()
    await sandbox.close()

    assert only(server).ended == "killed"


async def test_cancelled_close_still_ends_the_machine(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """The request to end a machine is finished even for a task that is stopped."""
    sandbox = await provider.open(spec)
    server.state.faults.add("kill", Slow(0.2))
    closing = asyncio.ensure_future(sandbox.close())
    await until(lambda: not server.state.faults.pending["kill"])

    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing

    await until(lambda: not server.state.running)


# Errors


async def test_bad_key_is_unavailable_and_stays_secret(connect: Connect, spec: SandboxSpec) -> None:
    """A refused key names the setting to change, and not the key."""
    provider = connect("e2b_wrong")

    for call in (provider.check(), provider.open(spec)):
        with pytest.raises(SandboxUnavailable, match="E2B_API_KEY") as refused:
            await call
        assert "e2b_wrong" not in f"{refused.value}{provider!r}"


async def test_registries_with_a_path_are_refused(connect: Connect) -> None:
    """E2B's rules know hosts alone, so that their credentials would go to all of the host."""
    credential = registry_credential("https://me:hidden@pkg.example/simple")
    provider = connect(credentials=[credential])
    with pytest.raises(SandboxUnavailable, match=r"pkg\.example/simple to every path") as refused:
        await provider.check()
    assert "hidden" not in str(refused.value)


async def test_nothing_listening_is_unavailable(connect: Connect) -> None:
    """A wrong URL is told apart from a wrong key."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        provider = connect(url=url)

        with pytest.raises(SandboxUnavailable, match="connection"):
            await provider.check()


async def test_an_answer_that_is_no_json_is_an_error(
    provider: E2BProvider, server: E2BServer, spec: SandboxSpec
) -> None:
    """A captive portal or a wrong URL ends in one sentence, not in a traceback of the SDK."""
    server.state.faults.add("create", Garbage(), times=4)

    with pytest.raises(SandboxError, match="create a sandbox"):
        await provider.open(spec)


async def test_slow_e2b_is_an_error_in_time(
    connect: Connect, server: E2BServer, spec: SandboxSpec
) -> None:
    """No call waits longer than its time-out, and the machine is ended."""
    provider = connect(request_timeout=0.3)
    server.state.faults.add("start", Slow(0.6))

    with pytest.raises(SandboxError, match="did not answer in time"):
        await provider.open(spec)

    assert not server.state.running
