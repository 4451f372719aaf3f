"""What a change newly can is read from it, for a person to judge."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.model.proof_card import FactKind
from bot.repair.verification.capabilities import new_capabilities

GO = b"import subprocess\n\n\ndef go(a):\n    subprocess.run([a])\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (FileDiff("a.py", b"A = 1\n", b"import socket\n\nA = socket.socket()\n"), [("capability-added", 3)]),
        (FileDiff("a.py", GO, GO.replace(b"[a]", b"a, shell=True")), [("subprocess.run", 5)]),
        (FileDiff("a.py", GO, GO + b"\n\ndef more():\n    subprocess.run([])\n"), [("subprocess.run", 9)]),
        (FileDiff("a.py", GO, GO.replace(b"(a)", b"(a, b=None)")), []),
        (FileDiff("a.py", b"f(verify=True)\n", b"f(verify=False)\n"), [("protection-removed", 1)]),
        (FileDiff("a.js", b"child_process = require('child_process');\nchild_process.exec('a');\n",
                  b"child_process = require('child_process');\nchild_process.exec('b');\n"),
         [("child_process.exec", 2)]),
        (FileDiff("tox.ini", b"[tox]\n", b"[pytest]\n"), [("tox.ini", None)]),
        (FileDiff(".github/workflows/ci.yml", b"on: push\n", b"on: pull_request\n"),
         [(".github/workflows/ci.yml", None)]),
        (FileDiff("requirements.txt", b"six\n", b"six\nevil\n"), [("dependency-added", None)]),
        (FileDiff("tests/test_a.py", b"A = 1\n", b"import os\nos.system('a')\n"), []),
        (FileDiff("a.py", b"A = 1\n", b"A = 2\n"), []),
    ],
)  # fmt: skip
def test_what_is_new(change: FileDiff, expected: list[tuple[str, int | None]]) -> None:
    """Capabilities, other arguments of calls that have one, lost protections, dependencies, checks."""
    facts = new_capabilities([change])
    assert [(fact.subject, fact.line) for fact in facts] == expected
    assert {fact.kind for fact in facts} <= {FactKind.NOT_JUDGED}
