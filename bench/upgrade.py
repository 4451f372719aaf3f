"""Two versions side by side on one PostgreSQL: what the earlier one began ends, or is told of.

python -m bench.upgrade --before CHECKOUT
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from bench.processes import clean_environment
from tests.contract.postgres import own_server
from tests.flows.held_script import HeldScript
from tests.flows.server_process import ServerProcess
from tests.flows.world import FIX, WHY, Scene, open_scene

_HERE = Path(__file__).parents[1]


async def main(before: Path) -> None:
    """Upgrade while runs are under way, and print what became of them."""
    script = HeldScript([FIX, WHY])
    async with AsyncExitStack() as stack:
        postgres = stack.enter_context(own_server())
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-bench-")))
        scene = await stack.enter_async_context(open_scene(root, script))
        url = {"DATABASE_URL": postgres.empty_database()}
        servers = {}
        for name, checkout in (("old", before), ("new", _HERE)):
            folder = root / name
            folder.mkdir()
            variables = scene.variables(folder / "data") | url | {"PYTHONPATH": str(checkout)}
            servers[name] = ServerProcess(variables, folder, imports_anew=True)
        old, new = servers["old"], servers["new"]
        await stack.enter_async_context(old.running())
        script.hold(2)
        first = await _ask(scene, old)
        await script.reached(2)
        for arguments in (("migrate", "--check"), ("migrate",), ("migrate", "--check")):
            code, said = await _fixpoint(*arguments, variables=new.variables)
            print(f"fixpoint {' '.join(arguments)}: exit code {code}\n{said}", flush=True)
        await stack.enter_async_context(new.running())
        second = await _ask(scene, new)
        script.let_go(2)
        await old.logged("run over")
        await asyncio.gather(_over(scene, first), _over(scene, second))
        print(f"begun by the old one, beside the new one: {_end(scene, first)}")
        print(f"asked of the new one, beside the old one: {_end(scene, second)}", flush=True)
        script.hold(2)
        third = await _ask(scene, old)
        await script.reached(2)
        taken = [line for line in old.lines() if line["event"] == "run taken up"]
        holder = old if len(taken) > 1 else new
        await old.kill()
        script.let_go(2)
        await _over(scene, third)
        print(
            f"of the {'old' if holder is old else 'new'} one, the old killed: {_end(scene, third)}"
        )


async def _ask(scene: Scene, server: ServerProcess) -> int:
    issue = scene.state.open_issue(scene.repository, "ada", "It says wrong", "It should say right.")
    await scene.github.deliver(scene.github.comment(issue, "ada", "/fix"), server.webhook)
    return issue.number


async def _over(scene: Scene, number: int) -> None:
    await scene.until(lambda: len(_reactions(scene, number)) > 1)


def _reactions(scene: Scene, number: int) -> list[str]:
    return scene.reactions(scene.repository.issues[number].comments[0])


def _end(scene: Scene, number: int) -> str:
    said = scene.said(scene.repository.issues[number])
    return f"{_reactions(scene, number)[-1]}: {said[-1].splitlines()[0]}"


async def _fixpoint(*arguments: str, variables: Mapping[str, str]) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *arguments),
        cwd=variables["HOME"],
        env=clean_environment(variables),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode().strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, metavar="CHECKOUT")
    asyncio.run(main(parser.parse_args().before.resolve()))
