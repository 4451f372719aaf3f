"""Databases that commands expect are started in a real sandbox, with the accounts that they name."""

from __future__ import annotations

import secrets
import shutil
from itertools import chain
from pathlib import Path

import pytest

from bot.ci.workflow.services.missing_services import missing_services, named_in_databases
from bot.ecosystems.missing import Symptoms
from bot.ecosystems.tree import DirectoryTree
from bot.reporting.json_report import FixOutput
from bot.reporting.reasons import setup_repair
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from tests.flows.command_line import open_desk
from tests.flows.world import FILES
from tests.unit.trees import written

MYSQL = "mysql --no-defaults -h 127.0.0.1 -u {user} -psecret {database} -Ne 'select 7'"
POSTGRES = "psql -h 127.0.0.1 -U {user} {database} -Atc 'select 7'"
COMPOSE = """
services:
  db: {image: "mysql:8", environment: {MYSQL_ROOT_PASSWORD: other, MYSQL_DATABASE: shop}}
"""


async def healed(sandbox: Sandbox, root: Path, command: str) -> tuple[str, list[str]]:
    """Return the last output of a command, and what was done about the earlier ones."""
    tree, before, done = DirectoryTree(root), "", list[str]()
    for _ in range(4):
        result = await sandbox.run(f"{before}\n{command}", timeout=120)
        symptoms = Symptoms(command, result.output)
        found = list(chain(missing_services(symptoms, tree), named_in_databases(symptoms, tree)))
        if result.ok or not found:
            return result.output.strip(), done
        before = "\n".join((before, *(remedy.before for remedy in found)))
        done += [remedy.missing for remedy in found]
    return "no end", done


@pytest.mark.parametrize(
    ("program", "client", "files", "steps"),
    [
        ("mysqld", MYSQL, {}, ["service mysql", "mysql database shop"]),
        ("mysqld", MYSQL, {"compose.yaml": COMPOSE}, ["service mysql", "mysql account"]),
        ("psql", POSTGRES, {}, ["service postgres", "postgres role app", "postgres database shop"]),
    ],
)
async def test_a_database_is_made_with_what_a_command_names(
    tmp_path: Path, program: str, client: str, files: dict[str, str], steps: list[str]
) -> None:
    """Whatever password it has: nobody but the command itself can reach the server."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed here")
    root = tmp_path / "source"
    written(root, {"README": "", **files})
    provider = BubblewrapProvider(tmp_path / "data")
    sandbox = await provider.open(SandboxSpec(f"t-{secrets.token_hex(4)}", source=root))
    try:
        command = client.format(user="app", database="shop")
        output, done = await healed(sandbox, root, command)
        assert output.endswith("7"), output
        assert done == steps
    finally:
        await sandbox.close()
        await provider.close()


async def test_a_database_is_started_whoever_named_the_setup(tmp_path: Path) -> None:
    """The repo config can't hold it: it lives as long as the command that uses it."""
    if shutil.which("redis-server") is None:
        pytest.skip("Redis is not installed here")
    config = "setup: 'true'\ntest: redis-cli -h 127.0.0.1 ping && sh -c 'exit 7'\n"
    files = FILES | {".github/fixpoint.yml": config}
    async with open_desk(tmp_path, files=files) as desk:
        done = await desk.fix("--json", "--proposers", "mechanical")
        output = FixOutput.model_validate_json(done.out)
        assert setup_repair.service_started("redis", 6379, "") in output.notes
        assert output.commands is not None
        assert output.commands.config == ""
        assert output.reproduction is not None
        assert output.reproduction.exit_code == 7


WAITS = """\
import socket
import time
import unittest


class Waits(unittest.TestCase):
    def test_a(self):
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", 6379)).close()
                break
            except OSError as error:
                print("Connecting to 127.0.0.1:6379:", error, flush=True)
                time.sleep(1)

    def test_b(self):
        self.assertEqual(1, 2)
"""


@pytest.mark.exhaustive
async def test_a_suite_that_waits_for_a_database_gets_it(tmp_path: Path) -> None:
    """It does not end without; what it printed until then says what it waits for."""
    if shutil.which("redis-server") is None:
        pytest.skip("Redis is not installed here")
    files = {
        "pyproject.toml": "[tool.pdm.scripts]\ntest = 'python -m unittest discover -s tests'\n",
        "tests/test_waits.py": WAITS,
    }
    async with open_desk(tmp_path, files=files) as desk:
        done = await desk.fix("--json", "--proposers", "mechanical", "--timeout", "80")
        output = FixOutput.model_validate_json(done.out)
        assert setup_repair.service_started("redis", 6379, "") in output.notes
        assert output.reproduction is not None
        assert output.reproduction.failing == ("test_waits.Waits.test_b",)
