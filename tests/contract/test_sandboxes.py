"""What every kind of sandbox promises (`sandbox/base.py`)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from pathlib import Path

import pytest

from sandbox.base import HOME, WORKSPACE, ResourceLimits, Sandbox, SandboxError, SandboxGone
from tests.contract.conftest import SECRET, Kind

SECONDS = 600.0
"""Time for commands that end by themselves, on the busiest of machines."""

RISING = (1.0, 8.0, 64.0)
"""Time limits to try where a command shall begin, and not end."""

BEAT = "while :; do echo beat >> /workspace/beats; sleep 0.02; done"
"""Shows for how long a process lives."""


async def output_of(sandbox: Sandbox, command: str) -> str:
    result = await sandbox.run(command, timeout=SECONDS)
    assert result.ok, result
    return result.output


async def assert_heart_stopped(sandbox: Sandbox) -> None:
    """Nothing writes any more."""
    before = await sandbox.read_file("beats")
    await asyncio.sleep(0.2)
    assert await sandbox.read_file("beats") == before


# --- commands ---------------------------------------------------------------------------------


async def test_a_command_reports_status_output_and_time(kind: Kind) -> None:
    """Both streams come as one, in the order in which they were written."""
    sandbox = await kind.open()
    result = await sandbox.run("echo one; echo two >&2; echo three; exit 7", timeout=SECONDS)
    assert (result.exit_code, result.output) == (7, "one\ntwo\nthree\n")
    assert not result.ok
    assert not result.timed_out
    assert result.omitted == 0
    assert 0 < result.seconds < SECONDS


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (9, 137),
        (15, 143),
        *(pytest.param(*pair, marks=pytest.mark.exhaustive) for pair in ((6, 134), (11, 139))),
    ],
)
async def test_death_by_signal_is_128_and_its_number(kind: Kind, number: int, code: int) -> None:
    """Also for signals that mean nothing to the first process of a pid namespace."""
    sandbox = await kind.open()
    result = await sandbox.run(f"kill -{number} $$; sleep 5", timeout=SECONDS)
    assert (result.exit_code, result.output, result.timed_out) == (code, "", False)


async def test_commands_start_in_the_workspace_with_its_files(kind: Kind) -> None:
    """Modes and links of the source are kept."""
    sandbox = await kind.open()
    assert await output_of(sandbox, "pwd; ./run.sh; cat link; readlink link") == (
        f"{WORKSPACE}\nran\nprint('hello')\nsrc/app.py\n"
    )


async def test_a_command_can_start_elsewhere(kind: Kind) -> None:
    """A folder that is missing is the command's failure, with a text that names it."""
    sandbox = await kind.open()
    result = await sandbox.run("pwd", timeout=SECONDS, cwd=f"{WORKSPACE}/src")
    assert result.output == f"{WORKSPACE}/src\n"
    missing = await sandbox.run("pwd", timeout=SECONDS, cwd="/workspace/absent")
    assert not missing.ok
    assert "/workspace/absent" in missing.output


async def test_standard_input_is_empty(kind: Kind) -> None:
    """A command that asks a question gets no answer, at once."""
    sandbox = await kind.open()
    result = await sandbox.run("cat; read answer; echo $?", timeout=SECONDS)
    assert result.output == "1\n"


async def test_state_stays_from_command_to_command(kind: Kind) -> None:
    """In workspace, home and scratch."""
    sandbox = await kind.open()
    await output_of(sandbox, "echo 1 > new; echo 2 > ~/new; echo 3 > /tmp/new")
    assert await output_of(sandbox, f"cat new {HOME}/new /tmp/new") == "1\n2\n3\n"


async def test_output_is_heard_while_the_command_runs(kind: Kind) -> None:
    """The listener gets the first piece before the last one is written."""
    sandbox = await kind.open()
    heard: list[bytes] = []
    first = asyncio.Event()

    def listen(piece: bytes) -> None:
        heard.append(piece)
        first.set()

    command = "echo early; until [ -e go ]; do sleep 0.02; done; echo late"
    running = asyncio.create_task(sandbox.run(command, timeout=SECONDS, on_output=listen))
    await asyncio.wait_for(first.wait(), SECONDS)
    assert b"".join(heard) == b"early\n"
    await sandbox.write_file("go", b"")
    assert (await running).output == "early\nlate\n"
    assert b"".join(heard) == b"early\nlate\n"


async def test_long_output_keeps_head_and_tail(kind: Kind) -> None:
    """The middle is dropped and counted."""
    sandbox = await kind.open(limits=ResourceLimits(output=1000))
    result = await sandbox.run("echo first; seq 100000; echo last", timeout=SECONDS)
    assert result.output.startswith("first\n1\n2\n")
    assert result.output.endswith("100000\nlast\n")
    assert f"[... {result.omitted} bytes of output left out ...]" in result.output
    assert result.omitted == len("first\nlast\n") + 588_895 - 1000


async def test_output_that_is_no_text_is_replaced(kind: Kind) -> None:
    """Bytes that are no UTF-8 do no harm."""
    sandbox = await kind.open()
    assert await output_of(sandbox, r"printf 'a\xffb\0c'") == "a\ufffdb\0c"


async def test_a_very_long_command_runs(kind: Kind) -> None:
    """Longer than one argument of a program may be."""
    sandbox = await kind.open()
    text = "x" * 300_000
    assert await output_of(sandbox, f"text={text}; echo ${{#text}}") == "300000\n"


# --- nothing outlives a command ---------------------------------------------------------------


async def test_what_a_command_leaves_behind_is_ended(kind: Kind) -> None:
    """Background jobs, sessions of their own and daemons that ignore signals."""
    sandbox = await kind.open()
    command = f"""
        ({BEAT}) &
        setsid bash -c "trap '' TERM HUP INT; {BEAT}" >/dev/null 2>&1 </dev/null &
        (setsid bash -c "{BEAT}" >/dev/null 2>&1 </dev/null &) &
        sleep 0.2
    """
    result = await sandbox.run(command, timeout=SECONDS)
    assert result.ok
    await assert_heart_stopped(sandbox)


async def test_commands_at_the_same_time_leave_each_other_alone(kind: Kind) -> None:
    """One that ends takes no other one with it, and none gets what another one was told."""
    sandbox = await kind.open()
    await sandbox.write_file("/workspace/note.txt", b"written\n")
    for _ in range(2):
        await sandbox.run("true", timeout=SECONDS)  # a sandbox may have prepared for a next one
    slow_result, quick_result, content = await asyncio.gather(
        sandbox.run("sleep 0.5; echo slow", timeout=SECONDS),
        sandbox.run("echo quick", timeout=SECONDS),
        sandbox.read_file("/workspace/note.txt"),
    )
    assert (slow_result.exit_code, slow_result.output) == (0, "slow\n")
    assert (quick_result.exit_code, quick_result.output) == (0, "quick\n")
    assert content == b"written\n"


async def test_time_is_up_for_everything(kind: Kind) -> None:
    """The command and its children end, and what they had printed is kept."""
    sandbox = await kind.open()
    command = f"(setsid bash -c '{BEAT}' &) ; trap '' TERM; echo before; sleep 6000; echo after"
    for limit in RISING:
        result = await sandbox.run(command, timeout=limit)
        assert (result.exit_code, result.timed_out) == (124, True)
        assert result.seconds >= limit
        if result.output:
            break
    assert result.output == "before\n"
    await assert_heart_stopped(sandbox)


async def test_cancelling_ends_the_command(kind: Kind) -> None:
    """The sandbox can be used afterwards."""
    sandbox = await kind.open()
    started = asyncio.Event()
    command = f"(setsid bash -c '{BEAT}' &); sleep 0.1; echo started; sleep 6000"
    running = asyncio.create_task(
        sandbox.run(command, timeout=SECONDS, on_output=lambda _: started.set())
    )
    await asyncio.wait_for(started.wait(), SECONDS)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await assert_heart_stopped(sandbox)
    assert await output_of(sandbox, "echo alive") == "alive\n"


async def test_a_listener_that_fails_ends_the_command(kind: Kind) -> None:
    """Its error arrives, and nothing runs on."""
    sandbox = await kind.open()

    def listen(piece: bytes) -> None:
        raise ZeroDivisionError(piece)

    command = f"({BEAT}) & sleep 0.1; echo started; sleep 6000"
    with pytest.raises(ZeroDivisionError):
        await sandbox.run(command, timeout=SECONDS, on_output=listen)
    await assert_heart_stopped(sandbox)


# --- isolation --------------------------------------------------------------------------------


async def test_the_environment_holds_only_what_was_given(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the host's environment, in no process that can be seen."""
    monkeypatch.setenv("FIXPOINT_TEST_SECRET", SECRET)
    sandbox = await kind.open(environment={"GIVEN": "always"})
    result = await sandbox.run(
        "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
        timeout=SECONDS,
        environment={"EXTRA": "once"},
    )
    assert SECRET not in result.output
    lines = result.output.splitlines()
    assert {"GIVEN=always", "EXTRA=once", f"HOME={HOME}", "CI=true", "LANG=C.UTF-8"} <= set(lines)
    path = next(line for line in lines if line.startswith("PATH="))
    assert path.startswith(f"PATH={HOME}/.venv/bin:{HOME}/.local/bin:")
    assert "EXTRA" not in await output_of(sandbox, "env")


async def test_commands_run_without_rights(kind: Kind) -> None:
    """Not as root, and with no way to become root."""
    kind.needs_a_plain_user()
    sandbox = await kind.open()
    assert await output_of(sandbox, "id -u") != "0\n"
    status = await output_of(sandbox, "cat /proc/self/status")
    assert "NoNewPrivs:\t1" in status
    assert "CapEff:\t0000000000000000" in status


async def test_the_system_is_read_only(kind: Kind) -> None:
    """Only workspace, home and scratch can be written."""
    kind.needs_a_plain_user()
    sandbox = await kind.open()
    for folder in ("/", "/usr", "/usr/bin", "/etc"):
        result = await sandbox.run(f"touch {folder}/intruder", timeout=SECONDS)
        assert not result.ok, folder


async def test_the_host_is_invisible(kind: Kind, tmp_path: Path) -> None:
    """Its processes, its name and its files."""
    (tmp_path / "host-file").write_text(SECRET)
    sleeper = await asyncio.create_subprocess_exec("sleep", "54321")
    try:
        sandbox = await kind.open()
        said = await output_of(sandbox, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; hostname")
    finally:
        sleeper.kill()
        await sleeper.wait()
    assert "54321" not in said
    assert socket.gethostname() not in said.split()
    result = await sandbox.run(f"cat {tmp_path}/host-file", timeout=SECONDS)
    assert not result.ok


async def test_there_is_no_network_unless_asked_for(kind: Kind) -> None:
    """Neither the host's loopback nor names can be reached."""
    visitors = 0

    def visit(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal visitors
        visitors += 1
        writer.close()

    server = await asyncio.start_server(visit, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        sandbox = await kind.open()
        call = f"timeout 5 bash -c 'echo hello > /dev/tcp/127.0.0.1/{port}'"
        assert not (await sandbox.run(call, timeout=SECONDS)).ok
    assert visitors == 0
    assert not (await sandbox.run("getent hosts example.org", timeout=SECONDS)).ok


# --- limits -----------------------------------------------------------------------------------


async def test_memory_is_limited(kind: Kind) -> None:
    """A command that takes more is ended; the sandbox stays."""
    sandbox = await kind.open(limits=ResourceLimits(memory=64 * 2**20))
    result = await sandbox.run(
        "head -c 400M /dev/zero | tail | wc -c; exit ${PIPESTATUS[1]}", timeout=SECONDS
    )
    assert not result.ok
    assert await output_of(sandbox, "echo alive") == "alive\n"


async def test_processes_are_limited(kind: Kind) -> None:
    """A fork bomb stays small, and is gone afterwards."""
    sandbox = await kind.open(limits=ResourceLimits(processes=60))
    result = await sandbox.run(
        "sh -c 'for i in $(seq 200); do sleep 5 & done'; ls -d /proc/[0-9]* | wc -l",
        timeout=SECONDS,
    )
    assert "fork" in result.output
    assert int(result.output.split()[-1]) <= 64
    assert await output_of(sandbox, "echo alive") == "alive\n"


async def test_files_are_limited(kind: Kind) -> None:
    """A file grows to the limit and no further."""
    sandbox = await kind.open(limits=ResourceLimits(file_size=2**20))
    result = await sandbox.run("head -c 3M /dev/zero > big", timeout=SECONDS)
    assert not result.ok
    assert await output_of(sandbox, "stat -c %s big") == f"{2**20}\n"


async def test_processor_time_is_limited(kind: Kind) -> None:
    """A process that spins is ended."""
    sandbox = await kind.open(limits=ResourceLimits(cpu_seconds=1))
    result = await sandbox.run("bash -c 'while :; do :; done'", timeout=SECONDS)
    assert result.exit_code in {137, 152}
    assert not result.timed_out


# --- files ------------------------------------------------------------------------------------


async def test_files_go_in_and_out_unchanged(kind: Kind) -> None:
    """Binary content, new folders, relative and absolute paths."""
    sandbox = await kind.open()
    data = bytes(range(256)) * 1000
    await sandbox.write_file("deep/er/file.bin", data)
    await sandbox.write_file(f"{HOME}/.config/tool", b"home")
    await sandbox.write_file("/tmp/scratch", b"")
    assert await sandbox.read_file(f"{WORKSPACE}/deep/er/file.bin") == data
    assert await sandbox.read_file(f"{HOME}/.config/tool") == b"home"
    assert await sandbox.read_file("/tmp/scratch") == b""
    assert await output_of(sandbox, "wc -c < deep/er/file.bin") == "256000\n"


async def test_writing_keeps_the_mode(kind: Kind) -> None:
    """Also of a file that its owner may not write; new files are plain."""
    sandbox = await kind.open()
    await output_of(sandbox, "echo old > sealed; chmod 440 sealed")
    await sandbox.write_file("run.sh", b"#!/bin/sh\necho new\n")
    await sandbox.write_file("sealed", b"new\n")
    await sandbox.write_file("plain", b"")
    assert await output_of(sandbox, "./run.sh; cat sealed; stat -c %a run.sh sealed plain") == (
        "new\nnew\n755\n440\n644\n"
    )


async def test_missing_files_and_folders_are_told_apart(kind: Kind) -> None:
    """With Python's own errors."""
    sandbox = await kind.open()
    for missing in ("absent", "absent/file", "run.sh/file", ""):
        with pytest.raises(FileNotFoundError):
            await sandbox.read_file(missing)
    with pytest.raises(IsADirectoryError):
        await sandbox.read_file("src")
    with pytest.raises(IsADirectoryError):
        await sandbox.write_file("src", b"")


async def test_only_regular_files_are_read(kind: Kind) -> None:
    """A pipe or a device would never end."""
    sandbox = await kind.open()
    await output_of(sandbox, "mkfifo pipe; ln -s /dev/zero zero")
    for name in ("pipe", "zero"):
        with pytest.raises(SandboxError):
            await sandbox.read_file(name)
    with pytest.raises(SandboxError):
        await sandbox.write_file("pipe", b"")


@pytest.mark.slow
async def test_a_file_that_is_too_large_is_refused(kind: Kind) -> None:
    """Instead of filling the host's memory."""
    sandbox = await kind.open()
    await output_of(sandbox, "truncate -s 1G big || dd if=/dev/null of=big bs=1 seek=1G")
    with pytest.raises(SandboxError, match="larger"):
        await sandbox.read_file("big")


async def test_links_lead_nowhere_outside(kind: Kind, tmp_path: Path) -> None:
    """A link is followed as the sandbox sees it, never on the host."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    sandbox = await kind.open()
    await output_of(sandbox, f"ln -s {outside}/secret file; ln -s {outside} folder; ln -s src in")
    for path in ("file", "folder/secret", f"../..{outside}/secret"):
        with pytest.raises(FileNotFoundError):
            await sandbox.read_file(path)
    for path in ("file", "folder/new"):
        with contextlib.suppress(SandboxError, OSError):  # a virtual machine may have such a place
            await sandbox.write_file(path, b"intruder")
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert (outside / "secret").read_text() == SECRET
    assert await sandbox.read_file("in/app.py") == b"print('hello')\n"


async def test_odd_names_survive(kind: Kind) -> None:
    """Newlines, quotes, leading dashes and bytes that are no UTF-8."""
    sandbox = await kind.open()
    names = ["new\nline", "-rf", "quo'te\"s", " ", "$HOME", "\u2603"]
    for name in names:
        await sandbox.write_file(f"odd/{name}", name.encode())
    for name in names:
        assert await sandbox.read_file(f"odd/{name}") == name.encode()
    await output_of(sandbox, r"printf latin > odd/$'caf\xe9'")
    latin = os.fsdecode(b"caf\xe9")
    if kind.name != "e2b":  # whose API takes names as text
        assert await sandbox.read_file(f"odd/{latin}") == b"latin"
    tree = await sandbox.tree()
    assert sorted(path.name for path in (tree / "odd").iterdir()) == sorted([*names, latin])


# --- the tree ---------------------------------------------------------------------------------


async def test_the_tree_shows_the_workspace_as_it_is(kind: Kind) -> None:
    """Changes, deletions, modes and links; never what only the host has."""
    sandbox = await kind.open()
    await output_of(
        sandbox,
        "echo new > added; echo more >> src/app.py; chmod +x src/app.py; rm run.sh;"
        " ln -s /etc/passwd escape; mkdir empty; ln added twin",
    )
    tree = await sandbox.tree()
    assert sorted(path.name for path in tree.iterdir()) == [
        *("added", "empty", "escape", "link", "src", "twin")
    ]
    assert (tree / "src" / "app.py").read_text() == "print('hello')\nmore\n"
    assert os.access(tree / "src" / "app.py", os.X_OK)
    assert (tree / "escape").readlink() == Path("/etc/passwd")
    assert (tree / "twin").read_text() == "new\n"


async def test_the_tree_follows_later_commands(kind: Kind) -> None:
    """Every call shows what is there by then."""
    sandbox = await kind.open()
    await sandbox.tree()
    await output_of(sandbox, "rm -r src; echo later > run.sh")
    tree = await sandbox.tree()
    assert sorted(path.name for path in tree.iterdir()) == ["link", "run.sh"]
    assert (tree / "run.sh").read_text() == "later\n"


async def test_the_source_is_never_changed(kind: Kind) -> None:
    """The workspace is a copy."""
    sandbox = await kind.open()
    await output_of(sandbox, "rm -rf * && echo changed > run.sh")
    assert (kind.source / "run.sh").read_text() == "#!/bin/sh\necho ran\n"
    assert (kind.source / "src" / "app.py").exists()


# --- life -------------------------------------------------------------------------------------


async def test_opening_a_name_again_attaches(kind: Kind) -> None:
    """From another provider, as after a restart, with everything as it was."""
    spec = kind.spec()
    first = await kind.provider.open(spec)
    kind.opened.append(first)
    assert not first.resumed
    await output_of(first, "echo kept > state; echo kept > ~/state")
    other = kind.another()
    try:
        second = await other.open(spec)
        assert second.resumed
        assert await output_of(second, "cat state ~/state") == "kept\nkept\n"
    finally:
        await other.close()


async def test_opening_one_name_twice_at_once_gives_one_sandbox(kind: Kind) -> None:
    """Whoever comes first; both see the same files."""
    spec = kind.spec()
    both = await asyncio.gather(kind.provider.open(spec), kind.provider.open(spec))
    kind.opened.extend(both)
    await output_of(both[0], "echo shared > state")
    assert await output_of(both[1], "cat state") == "shared\n"


async def test_a_snapshot_starts_others(kind: Kind) -> None:
    """With workspace and home; and all three go their own ways."""
    first = await kind.open()
    await output_of(first, "echo 1 > state; mkdir -p ~/.venv; echo 1 > ~/.venv/state; rm run.sh")
    snapshot = await kind.snapshot(first)
    await output_of(first, "echo 2 > state; echo 2 > ~/.venv/state")
    second = await kind.open(source=None, snapshot=snapshot)
    assert not second.resumed
    assert await output_of(second, "cat state ~/.venv/state; ls") == "1\n1\nlink\nsrc\nstate\n"
    await output_of(second, "echo 3 > state; echo 3 >> ~/.venv/state; chmod 600 src/app.py")
    assert await output_of(first, "cat state ~/.venv/state") == "2\n2\n"
    third = await kind.open(source=None, snapshot=snapshot)
    assert await output_of(third, "cat state ~/.venv/state; stat -c %a src/app.py") == (
        "1\n1\n644\n"
    )


async def test_a_snapshot_may_be_taken_again(kind: Kind) -> None:
    """A step that is repeated after a crash takes it under the same name."""
    sandbox = await kind.open()
    snapshot = await kind.snapshot(sandbox)
    await output_of(sandbox, "echo again > state")
    kind.snapshots.append(await sandbox.snapshot(snapshot.partition("/")[0]))
    other = await kind.open(source=None, snapshot=kind.snapshots[-1])
    assert await output_of(other, "cat state") == "again\n"


async def test_a_lost_snapshot_is_told_apart(kind: Kind) -> None:
    """With its name in the sentence, and without a sandbox left behind; it can be taken again."""
    with pytest.raises(SandboxGone, match="never-taken"):
        await kind.open(source=None, snapshot="never-taken")


async def test_closing_is_final(kind: Kind) -> None:
    """Every method says that it is gone; closing again is fine."""
    sandbox = await kind.open()
    await sandbox.close()
    for use in (
        sandbox.run("true", timeout=SECONDS),
        sandbox.read_file("run.sh"),
        sandbox.write_file("x", b""),
        sandbox.tree(),
        sandbox.snapshot("late"),
    ):
        with pytest.raises(SandboxGone):
            await use
    await sandbox.close()


async def test_removing_by_name_ends_a_sandbox(kind: Kind) -> None:
    """For whoever still holds it too; the name is free again, and unknown names are fine."""
    spec = kind.spec()
    sandbox = await kind.provider.open(spec)
    kind.opened.append(sandbox)
    await output_of(sandbox, "echo old > state")
    await kind.provider.remove(spec.name)
    with pytest.raises(SandboxGone):
        await sandbox.run("true", timeout=SECONDS)
    await kind.provider.remove(spec.name)
    fresh = await kind.open(name=spec.name)
    assert not fresh.resumed
    assert "state" not in await output_of(fresh, "ls")


async def test_names_can_be_no_paths(kind: Kind) -> None:
    """Nor anything else than 1 to 60 of a-z, 0-9 and the dash."""
    for name in ("../up", "", "UPPER", "x" * 61, "a/b"):
        with pytest.raises(SandboxError):
            await kind.open(name=name)


async def test_a_kind_that_works_passes_its_check(kind: Kind) -> None:
    """`check` is silent."""
    await kind.provider.check()
