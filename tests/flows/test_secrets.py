"""Secrets stay where they are used: nothing that a run leaves, says or starts has one in it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.fakes.github.faults import Trouble
from tests.fakes.model import Call
from tests.flows.held_script import HeldScript
from tests.flows.server_process import ServerProcess
from tests.flows.world import (
    CHECK,
    FILES,
    FIX,
    WHY,
    Scene,
    attempts,
    bash,
    open_scene,
    open_world,
)

PLANTED = {
    "ANTHROPIC_API_KEY": "planted-key-of-anthropic-7f31",
    "OPENAI_API_KEY": "planted-key-of-openai-88c2",
    "E2B_API_KEY": "planted_key_of_e2b_19aa",
    "SENTRY_DSN": "http://planted7sentry@127.0.0.1:9/1",
}

SNOOP = """\
env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'
git config --list; cat .git/config; git remote -v; ls -lR ~ /tmp /run; cat /etc/passwd
"""


@pytest.mark.slow
async def test_no_secret_leaves_its_place(tmp_path: Path) -> None:
    """Comments, prompts, logs, files, arguments and the sandbox: no trace of any secret."""
    script = HeldScript([bash(SNOOP), Call("run_tests"), FIX, WHY])
    async with open_scene(tmp_path, script) as scene:
        server = ServerProcess(
            scene.variables(tmp_path / "data") | PLANTED, tmp_path, imports_anew=True
        )
        for path in ("/contents/", r"/info/refs$", "/pulls$", "/access_tokens$"):
            scene.state.faults.add(Trouble.BAD_GATEWAY, times=2, path=path)
        script.hold(2)
        async with server.running(), watched(server) as processes:
            event = scene.github.comment(scene.issue, "ada", "/fix")
            await scene.github.deliver(event, server.webhook)
            await script.reached(2)
            on_the_way = dict(files_below(tmp_path / "data"))
            script.let_go(2)
            await server.logged("run over")
            await server.stop()
        needles = forms_of_secrets(scene)
        assert len(needles) > 50
        assert scene.model is not None
        places: dict[str, Iterable[str]] = {
            "comments": [
                text
                for comment in scene.issue.comments
                for text in (comment.body, *comment.history)
            ],
            "pull requests": [f"{pull.title} {pull.body}" for pull in scene.pulls()],
            "commits": [scene.repository.git.text("log", "--all", "--format=%D %an %ae %B")],
            "prompts": [json.dumps(dict(request.body)) for request in scene.model.requests],
            "log": [server.text],
            "processes": processes,
        }
        assert scene.repaired() == "right\n"
        assert all(token.revoked for token in scene.state.tokens.values())
        for place, texts in places.items():
            text = "\n".join(texts)
            assert text
            assert {needle for needle in needles if needle in text} == set(), place
        for files in (on_the_way, dict(files_below(tmp_path / "data"))):
            assert files
            for name, content in files.items():
                assert {item for item in needles if item.encode() in content} == set(), name


def forms_of_secrets(scene: Scene) -> set[str]:
    """Return everything that would give a secret away."""
    app = scene.state.app
    whole = [*PLANTED.values(), app.webhook_secret, *scene.state.tokens]
    forms = {form for secret in whole for form in (secret, quote(secret, safe=""))}
    forms |= {base64.b64encode(node.encode()).decode().rstrip("=") for node in whole}
    for token in scene.state.tokens:
        forms.add(base64.b64encode(f"x-access-token:{token}".encode()).decode().rstrip("="))
    return forms | {line for line in app.private_key.splitlines() if "-----" not in line}


def files_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file: databases, mirrors, checkouts, sandboxes."""
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # removed meanwhile
            if path.is_file() and not path.is_symlink():
                yield str(path.relative_to(folder)), path.read_bytes()


@asynccontextmanager
async def watched(server: ServerProcess) -> AsyncIterator[set[str]]:
    """Collect what `/proc` shows of the processes that the server has below it, while it works.

    Git's variables may hold the token that it uses; the arguments of nobody may.
    """
    seen: set[str] = set()

    async def watch() -> None:
        while True:
            await asyncio.to_thread(seen.update, list(told_by_processes(server.pid)))
            await asyncio.sleep(0.005)

    task = asyncio.create_task(watch())
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert any("bwrap" in item for item in seen)
    assert any("git" in item and "fetch" in item for item in seen)


def told_by_processes(root: int) -> Iterator[str]:
    """Yield arguments and variables of the processes below one; of git, arguments alone."""
    own = Path(f"/proc/{root}/cmdline").read_bytes()
    for pid in descendants(root):
        with contextlib.suppress(OSError):  # it ended meanwhile
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
            variables = Path(f"/proc/{pid}/environ").read_bytes()
            if arguments == own:
                continue  # a copy of the server that is about to become something else
            yield arguments.replace(b"\0", b" ").decode()
            if arguments != Path(f"/proc/{pid}/cmdline").read_bytes():
                continue  # it became something else between the two, git perhaps
            program = Path(arguments.partition(b"\0")[0].decode()).name
            if program and not program.startswith("git"):
                yield variables.replace(b"\0", b"\n").decode()


def descendants(root: int) -> Iterator[int]:
    """Yield the processes below one."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{root}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from descendants(int(child))


@pytest.mark.slow
async def test_what_commands_print_is_kept_without_secrets(tmp_path: Path) -> None:
    """A project's own credentials, and what the operator says is one: not kept, told or posted."""
    token, ours = f"ghp_{'a1B2' * 9}", "customer-4711"
    printed = base64.b64encode(f"{token} {ours}\n".encode()).decode()
    check = f"#!/bin/sh\necho {printed} | base64 -d\n{CHECK.partition('!/bin/sh')[2]}"
    script = attempts([bash(f"echo {printed} | base64 -d"), Call("run_tests"), FIX, WHY])
    environ = {"FIXPOINT_REDACT": "customer-[0-9]+\nnever-seen"}
    async with open_world(
        tmp_path, script, files={**FILES, "check.sh": check}, environ=environ
    ) as world:
        world.issue.body = f"It printed {token} for {ours}."
        await world.comment("/fix")
        await world.settled()
        assert world.repaired() == "right\n"
        assert world.model is not None
        prompts = "\n".join(json.dumps(dict(request.body)) for request in world.model.requests)
        assert "[redacted]" in prompts
        said = "\n".join([*world.said(), *(pull.body or "" for pull in world.pulls())])
        for needle in (token, ours):
            assert needle not in prompts
            assert needle not in said
    kept = {name: content for name, content in files_below(tmp_path / "data") if ".db" in name}
    assert any("steps" in name for name in kept)
    for name, content in kept.items():
        assert [needle for needle in (token, ours) if needle.encode() in content] == [], name


async def test_the_durable_engine_writes_to_our_log(tmp_path: Path) -> None:
    """DBOS has no handler of its own, whose lines would miss the redaction."""
    async with open_world(tmp_path, attempts([WHY])):
        logger = logging.getLogger("dbos")
        assert logger.propagate
        assert not any(isinstance(handler, logging.StreamHandler) for handler in logger.handlers)
