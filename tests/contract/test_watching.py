"""A watched command tells which programs it started, in every kind of sandbox."""

from __future__ import annotations

from bot.model import StartedProgram
from bot.repair.workspace.observe import observe
from sandbox.base import Sandbox
from tests.contract.conftest import Kind

SECONDS = 600.0

MAKEFILE = """\
NAME = $(shell echo lint)
lint:
\t@./$(NAME).sh src 'two words'
"""
SCRIPT = """\
#!/bin/sh
cd "$1"
/bin/sh -c 'exec tool --check "$0"' "$2"
python3 -c 'import subprocess; subprocess.run(["tool", "other"])'
tool; exit 3
"""
TOOL = '#!/bin/sh\necho tool "$@"\n'
PATHED = 'PATH=/workspace/tools:$PATH; rm -rf nothing; [ "$HOME" ] && make -s lint'


async def project(kind: Kind) -> Sandbox:
    """Return a sandbox with a Makefile, a script behind it and a tool behind that."""
    sandbox = await kind.open()
    for name, text in (("Makefile", MAKEFILE), ("lint.sh", SCRIPT), ("tools/tool", TOOL)):
        await sandbox.write_file(f"/workspace/{name}", text.encode())
    await sandbox.run("chmod +x lint.sh tools/tool; mkdir -p src", timeout=SECONDS)
    return sandbox


def tools(programs: tuple[StartedProgram, ...]) -> list[tuple[tuple[str, ...], str, list[str]]]:
    """Return how the tool was started, where, and by what."""
    found = []
    for program in programs:
        if not program.file.endswith("/tool"):
            continue
        by, above = program.by, []
        while by is not None:
            above.append(programs[by].file.rpartition("/")[2])
            by = programs[by].by
        found.append((program.arguments[1:], program.folder, above))
    return found


async def test_every_program_is_seen(kind: Kind) -> None:
    """However short it lives, whoever starts it: its file, arguments, folder, and what is above."""
    sandbox = await project(kind)
    seen = await observe(sandbox, PATHED, timeout=SECONDS, watch=True)
    plain = await observe(sandbox, PATHED, timeout=SECONDS)
    assert (seen.exit_code, seen.output) == (plain.exit_code, plain.output)
    assert plain.programs == ()
    first, second, third = tools(seen.programs)
    assert first[:2] == (("--check", "two words"), "src")
    assert [name for name in first[2] if name in {"lint.sh", "make", "bash"}] == [
        "lint.sh",
        "make",
        "bash",
    ]
    assert second[:2] == (("other",), "src")
    assert second[2][0].startswith("python3")
    assert third[:2] == ((), "src")


async def test_a_watched_command_ends_as_it_would(kind: Kind) -> None:
    """By its status, by a signal, by its time; what it left running does not hold it up."""
    sandbox = await kind.open()
    for command, code in (("exit 7", 7), ("kill -9 $$", 137), ("no-such-program", 127)):
        seen = await observe(sandbox, command, timeout=SECONDS, watch=True)
        assert seen.exit_code == code
    left = await observe(sandbox, "sleep 6000 & true", timeout=SECONDS, watch=True)
    assert (left.exit_code, left.timed_out) == (0, False)
    for limit in (1.0, 8.0, 64.0):  # on a busy machine it does not begin in the first
        late = await observe(sandbox, "sleep 6000", timeout=limit, watch=True)
        assert late.timed_out
        if late.programs:
            break
    assert [program.arguments[0] for program in late.programs][-1:] == ["sleep"]


async def test_functions_of_the_shell_are_known(kind: Kind) -> None:
    """What goes before a command in its own shell holds for the watched one too."""
    sandbox = await kind.open()
    command = 'said() { echo said "$1"; }; export GIVEN=x\n'
    seen = await observe(sandbox, f"{command}said $GIVEN; false", timeout=SECONDS, watch=True)
    assert (seen.exit_code, seen.output) == (1, "said x\n")
